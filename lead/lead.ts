// A lead is what a visitor tells us in the form: six fields, in the order the form shows them. The form,
// the intake, the team's messages and exports all read this one list. (Specification 3 and 5.)
import { noName } from "./no-name.ts";

/** The six fields in order. The names are the wire's and the table's names; the labels are the form's. */
export const fields = [
  { name: "name", label: "Full Name", kind: "text" },
  { name: "email", label: "Email Address", kind: "text" },
  { name: "phone", label: "Phone Number", kind: "text" },
  { name: "zip_code", label: "ZIP Code", kind: "text" },
  { name: "has_medicare", label: "I have Medicare", kind: "box" },
  { name: "has_diabetes", label: "I have been diagnosed with diabetes", kind: "box" },
] as const;

export type Field = (typeof fields)[number];
type Named<Kind> = Extract<Field, { kind: Kind }>["name"];

/** A lead as the visitor sent it: every text exactly as typed, every box ticked or not. */
export type Lead = Record<Named<"text">, string> & Record<Named<"box">, boolean>;

/** A lead as it stands in the table. `created_at` is an ISO 8601 time. */
export type StoredLead = Lead & { id: string; created_at: string };

/** Why values are not a lead. Only another program causes these, because the form sends each text, blank ones too. */
export type Problem = { field: Field; kind: "missing" | "not text" | "not true or false" | "not storable" };

/**
 * Reads six values as a lead. A box that is absent is not ticked; a text must be there and be a string that
 * PostgreSQL can keep exactly (no NUL, no half of a surrogate pair). Whether it is blank or absurdly long
 * is for the table's own checks, which apply to every insert. Values beyond the six are not looked at.
 */
export function parseLead(values: Readonly<Record<string, unknown>>): { lead: Lead } | { problem: Problem } {
  const lead: Record<string, string | boolean> = {};
  for (const field of fields) {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    const kind = field.kind === "text" ? problemWithText(value) : problemWithBox(value);
    if (kind) return { problem: { field, kind } };
    lead[field.name] = field.kind === "text" ? (value as string) : value === true;
  }
  return { lead: lead as Lead };
}

/** Reads a submitted form as a lead. A text not there is blank. A browser sends a box only when it is
 * ticked; a program may write that one is false. */
export function leadFromForm(form: { get(name: string): unknown }): Lead {
  const text = (name: string) => String(form.get(name) ?? "");
  const isTicked = (name: string) => ![null, "false"].includes(form.get(name) as string | null);
  return {
    name: text("name"),
    email: text("email"),
    phone: text("phone"),
    zip_code: text("zip_code"),
    has_medicare: isTicked("has_medicare"),
    has_diabetes: isTicked("has_diabetes"),
  };
}

/**
 * The short reference of a lead, said on the phone and in mail: the last eight characters of its id. The first are a
 * time, the same for all leads of one minute (RFC 9562, 5.7).
 */
export const reference = (id: string): string => id.slice(-8);

/**
 * A text of a lead for a person to read. A text of nothing but blanks and invisible characters is replaced by words, because it would show
 * nothing; the table refuses only a text of nothing but blanks. private.shown does the same in the database, and also leaves out the marks
 * that change the direction of writing; mails leave those out of every text, and the terminal escapes them.
 */
export const shown = (field: Named<"text">, text: string): string =>
  /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u.test(text)
    ? text
    : field === "name"
      ? noName
      : "(blank)";

/** What a lead says in one field, for a person to read. */
export const answerShown = (lead: Lead, field: Field): string =>
  field.kind === "text" ? shown(field.name, lead[field.name]) : lead[field.name] ? "yes" : "no";

function problemWithText(value: unknown): Problem["kind"] | undefined {
  if (value === undefined || value === null) return "missing";
  if (typeof value !== "string") return "not text";
  if (value.includes("\0") || !value.isWellFormed()) return "not storable";
  return undefined;
}

function problemWithBox(value: unknown): Problem["kind"] | undefined {
  if (value === null) return "missing";
  return value === undefined || typeof value === "boolean" ? undefined : "not true or false";
}
