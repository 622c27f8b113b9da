// A field that says below itself what is wrong with what was typed.
import { type ComponentProps, useId } from "react";

interface Props extends ComponentProps<"input"> {
  label: string;
  /** Undefined where nothing is wrong. */
  problem: string | undefined;
}

export function CheckedField({ label, problem, ...input }: Props) {
  const id = useId();
  return (
    <div className="checked-field">
      <label className="field">
        {label}
        <input
          {...input}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : id}
        />
      </label>
      {problem !== undefined && (
        <p id={id} className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
