// The states to which no calls are made for a while, as Louisiana may order in an emergency.
import type { FormEvent, MouseEvent } from "react";
import { stateChoices, stateNames } from "../../../calling/state-names.ts";
import type { ResponseOf } from "../../api.ts";
import { atMost } from "../page/at-most.ts";
import { useDraft } from "../page/drafts.ts";
import { useFocusBeside } from "../page/focus-beside.ts";
import { FailureNotice, Loading } from "../page/notice.tsx";
import { moment } from "../page/times.ts";
import { refreshAfterChange, useAction, useCall } from "../queries.ts";

export function PausedStates() {
  const { data, error } = useCall("paused-states", {});
  const [heading, notePress] = useFocusBeside<HTMLHeadingElement>();
  return (
    <section className="card" aria-labelledby="paused-states">
      <h2 id="paused-states" ref={heading} tabIndex={-1}>
        Paused states
      </h2>
      <p className="quiet">
        While a state is paused nobody there is called, whatever they asked for. A state may order this in an
        emergency.
      </p>
      <Loading error={error} isLoaded={data !== undefined} />
      {data && (
        <ul className="plain-list">
          {data.states.map((paused) => (
            <PausedState key={paused.state} paused={paused} onPress={notePress} />
          ))}
        </ul>
      )}
      <PauseForm onPaused={refreshStates} />
    </section>
  );
}

const refreshStates = () => refreshAfterChange("paused-states", "queue");

interface PausedStateProps {
  paused: ResponseOf<"paused-states">["states"][number];
  onPress(press: MouseEvent): void;
}

/** Each state is resumed by itself, because a second one may be pressed before the answer about the first. */
function PausedState({ paused: { state, paused_at, paused_by, reason }, onPress }: PausedStateProps) {
  const resume = useAction("resume-state");
  const name = stateNames[state] ?? state;
  return (
    <li>
      <span>
        <strong>{name}</strong>
        <span className="quiet">
          {reason}. By {paused_by}, {moment(paused_at)}
        </span>
        <FailureNotice error={resume.error} />
      </span>
      <button
        type="button"
        className="button quiet"
        onClick={(press) => {
          onPress(press);
          resume.mutate({ state }, { onSuccess: refreshStates });
        }}
      >
        Call there again<span className="visually-hidden"> ({name})</span>
      </button>
    </li>
  );
}

function PauseForm({ onPaused }: { onPaused(): void }) {
  const { value: state, set: setState, dropSent: dropState } = useDraft("paused state", "");
  const { value: reason, set: setReason, dropSent: dropReason } = useDraft("pause reason", "");
  const pause = useAction("pause-state");
  const send = (event: FormEvent) => {
    event.preventDefault();
    pause.mutate(
      { state, reason: reason.trim() },
      {
        onSuccess: () => {
          dropState(state);
          dropReason(reason);
          onPaused();
        },
      },
    );
  };
  return (
    <form className="form-line" onSubmit={send}>
      <label className="field">
        State
        <select required value={state} onChange={({ target }) => setState(target.value)}>
          <option value="">Choose</option>
          {stateChoices.map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        Why
        <input
          type="text"
          required
          {...atMost(200)}
          autoComplete="off"
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      <button type="submit" className="button">
        Pause
      </button>
      <FailureNotice error={pause.error} />
    </form>
  );
}
