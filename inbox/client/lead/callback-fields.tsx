// When to call back: a day and a time on the person's own clocks, or in Eastern time where the ZIP code is unknown. The server checks it
// against the calling hours there.
import { useEffect, useRef } from "react";
import type { RequestOf } from "../../api.ts";
import { serverNow } from "../page/clock.ts";
import { lastDay } from "../page/day-field.tsx";
import { useDraft } from "../page/drafts.ts";
import { dayOf } from "../page/times.ts";
import { onClocks, stateName, zoneName } from "../page/words.ts";
import type { Lead } from "./lead-page.tsx";
import { OutcomeRefused, type RefusedOutcome } from "./outcome-refused.tsx";

export type Callback = NonNullable<RequestOf<"outcome">["callback"]>;

const nothingTyped = { day: "", time: "", zone: "", asked: false };

/** The callback as it is typed. The outcome's form drops it when an outcome of the lead is recorded. */
export const useCallbackDraft = (lead: string) => useDraft(`callback ${lead}`, nothingTyped);

interface Props {
  lead: Lead;
  draft: ReturnType<typeof useCallbackDraft>;
  /** Whether a press has brought these fields, and not what was typed in them before. */
  takesFocus: boolean;
  refused: RefusedOutcome | undefined;
  onSend(callback: Callback): void;
  /** Called when the day, the time or the zone is changed: a refusal of the time before says nothing of this one. */
  onOtherTime(): void;
  onCancel(): void;
}

export function CallbackFields({
  lead,
  draft: { value, set },
  takesFocus,
  refused,
  onSend,
  onOtherTime,
  onCancel,
}: Props) {
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takesFocus) first.current?.focus();
  }, [takesFocus]);
  const zones = lead.place.zones.length > 0 ? lead.place.zones : ["America/New_York"];
  const zone = value.zone || (zones[0] as string);
  const send = () => {
    onSend({ at: `${value.day}T${value.time}`, zone, ...(value.asked && { asked_for_this_time: true }) });
  };
  // The person asked for one time, and not for another that is typed afterwards.
  const setTime = (time: Partial<typeof value>) => {
    set({ ...value, ...time, asked: false });
    onOtherTime();
  };
  const isComplete = value.day !== "" && value.time !== "";
  return (
    <fieldset className="callback">
      <legend>
        When, {onClocks(lead.place, zone, `on their clocks in ${stateName(lead.place)}`, serverNow())}?
      </legend>
      <label className="field">
        Day
        <input
          ref={first}
          type="date"
          min={dayOf(serverNow(), zone)}
          max={lastDay}
          value={value.day}
          onChange={({ target }) => setTime({ day: target.value })}
        />
      </label>
      <label className="field">
        Time there
        <input type="time" value={value.time} onChange={({ target }) => setTime({ time: target.value })} />
      </label>
      <ZoneField zones={zones} zone={zone} onChoose={(name) => setTime({ zone: name })} />
      {refused && <OutcomeRefused refused={refused} />}
      {(value.asked || offersAskedFor(refused)) && (
        <AskedField asked={value.asked} onChange={(asked) => set({ ...value, asked })} />
      )}
      <div className="actions">
        <button type="button" className="button primary" disabled={!isComplete} onClick={send}>
          Set the callback
        </button>
        <button type="button" className="button quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </fieldset>
  );
}

const offersAskedFor = (refused: RefusedOutcome | undefined) =>
  refused?.refused === "callback_not_callable" &&
  refused.reason !== "paused" &&
  refused.reason !== "attempts";

function AskedField({ asked, onChange }: { asked: boolean; onChange(asked: boolean): void }) {
  return (
    <label className="choice">
      <input type="checkbox" checked={asked} onChange={({ target }) => onChange(target.checked)} />
      The person asked for this time
    </label>
  );
}

interface ZoneProps {
  zones: readonly string[];
  zone: string;
  onChoose(zone: string): void;
}

function ZoneField({ zones, zone, onChoose }: ZoneProps) {
  if (zones.length < 2) return null;
  return (
    <label className="field">
      Zone
      <select value={zone} onChange={({ target }) => onChoose(target.value)}>
        {zones.map((name) => (
          <option key={name} value={name}>
            {zoneName(name, serverNow())}
          </option>
        ))}
      </select>
    </label>
  );
}
