// The form's fields, with the types that the specification asks for (5): a line of text under its label, and a box to tick inside its label.
// Labels never hide, and no hint stands inside a field.
import type { Field } from "../lead/lead.ts";

type TextName = Extract<Field, { kind: "text" }>["name"];
type BoxName = Extract<Field, { kind: "box" }>["name"];

/** What the browser needs to know to fill in a field and to show the right keyboard. */
const input = {
  name: { type: "text", autoComplete: "name", autoCapitalize: "words", enterKeyHint: "next" },
  email: { type: "email", autoComplete: "email", inputMode: "email", enterKeyHint: "next" },
  phone: { type: "tel", autoComplete: "tel", inputMode: "tel", enterKeyHint: "next" },
  // Not "send", although Enter sends the form here, because the two boxes and the permission notice come after this field.
  zip_code: { type: "text", autoComplete: "postal-code", inputMode: "numeric", enterKeyHint: "done" },
} as const;

interface TextFieldProps {
  name: TextName;
  label: string;
  value?: string | undefined;
  /** Why the field was refused, when it was. */
  wrong: string | undefined;
  /** Whether the answers are on their way. */
  isSending: boolean;
}

export function TextField({ name, label, value, wrong, isSending }: TextFieldProps) {
  const described = wrong && { "aria-invalid": true, "aria-describedby": `${name}-wrong` };
  return (
    <p className={`line ${name}`}>
      <label htmlFor={name}>{`${label} *`}</label>
      {wrong && (
        <span className="wrong" id={`${name}-wrong`}>
          {wrong}
        </span>
      )}
      <input
        id={name}
        name={name}
        required
        readOnly={isSending}
        spellCheck={false}
        defaultValue={value ?? ""}
        {...input[name]}
        {...described}
      />
    </p>
  );
}

export function BoxField({
  name,
  label,
  ticked,
  isSending,
}: {
  name: BoxName;
  label: string;
  ticked?: boolean | undefined;
  isSending: boolean;
}) {
  return (
    <label className="box">
      <input
        type="checkbox"
        name={name}
        value="true"
        defaultChecked={ticked ?? false}
        // A box has no `readOnly`, and a disabled one would lose the focus.
        aria-disabled={isSending || undefined}
        onClick={(event) => isSending && event.preventDefault()}
      />
      <span>{label}</span>
    </label>
  );
}

/** A honeypot for programs that fill in every field of the plain form: no person can see, reach or hear it. */
export function HoneypotField() {
  return (
    <div className="honeypot" aria-hidden="true">
      <input name="website" type="text" tabIndex={-1} autoComplete="off" defaultValue="" />
    </div>
  );
}
