// The list of keyboard shortcuts, and the switch that turns them off.
import { outcomes } from "../../api-values.ts";
import { Dialog } from "./dialog.tsx";
import { prefer, usePreferences } from "./preferences.ts";
import { outcomeNames } from "./words.ts";

const everywhere: [string, string][] = [
  ["q", "The queue"],
  ["?", "This list"],
];
const inTheQueue: [string, string][] = [
  ["n", "Take next lead"],
  ["/", "Search"],
];
const atALead: [string, string][] = [
  ["c", "Call"],
  ["t", "Write a note"],
  ...outcomes.map((outcome, nth): [string, string] => [String(nth + 1), outcomeNames[outcome]]),
  ["u", "Undo the outcome"],
  ["n", "Take next lead, after an outcome"],
];

export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const { usesShortcuts } = usePreferences();
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className="key-lists">
        <div>
          <KeyList title="Everywhere" keys={everywhere} />
          <KeyList title="In the queue" keys={inTheQueue} />
        </div>
        <KeyList title="At a lead" keys={atALead} />
      </div>
      <p className="quiet">No key does anything while you type in a field.</p>
      <label className="choice">
        <input
          type="checkbox"
          checked={usesShortcuts}
          onChange={() => prefer({ usesShortcuts: !usesShortcuts })}
        />
        Use these shortcuts
      </label>
      <div className="actions">
        <button type="button" className="button primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function KeyList({ title, keys }: { title: string; keys: [string, string][] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
