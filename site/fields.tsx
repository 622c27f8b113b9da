// The form's fields: a line of text under its label, and a box to tick inside its label. Labels never hide
// and no hint stands inside a field. (Specification 5.)
import type { Field } from "../lead/lead.ts";

type TextName = Extract<Field, { kind: "text" }>["name"];
type BoxName = Extract<Field, { kind: "box" }>["name"];

/** What the browser needs to know to fill in a field and to show the right keyboard. */
const input = {
  name: { type: "text", autoComplete: "name", autoCapitalize: "words", enterKeyHint: "next" },
  email: { type: "email", autoComplete: "email", inputMode: "email", enterKeyHint: "next" },
  phone: { type: "tel", autoComplete: "tel", inputMode: "tel", enterKeyHint: "next" },
  // Not "send", though it would: the two boxes and the notice of what the button allows come after it.
  zip_code: { type: "text", autoComplete: "postal-code", inputMode: "numeric", enterKeyHint: "done" },
} as const;

export function TextField({
  field,
  value,
}: {
  field: { name: TextName; label: string };
  value?: string | undefined;
}) {
  const { name, label } = field;
  return (
    <p className={`line ${name}`}>
      <label htmlFor={name}>{`${label} *`}</label>
      <input id={name} name={name} required spellCheck={false} defaultValue={value ?? ""} {...input[name]} />
    </p>
  );
}

export function BoxField({
  field,
  ticked,
}: {
  field: { name: BoxName; label: string };
  ticked?: boolean | undefined;
}) {
  return (
    <label className="box">
      <input type="checkbox" name={field.name} value="true" defaultChecked={ticked ?? false} />
      <span>{field.label}</span>
    </label>
  );
}

/** A trap for programs that fill in every field of the plain form: no person can see, reach or hear it. */
export function TrapField() {
  return (
    <div className="trap" aria-hidden="true">
      <input name="website" type="text" tabIndex={-1} autoComplete="off" defaultValue="" />
    </div>
  );
}
