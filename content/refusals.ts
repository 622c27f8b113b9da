// The refusals that a visitor can meet. The intake and the database word them in English, which the banner shows as it
// stands (specification 8); a page in another language shows its own sentence for the same refusal.
import { type Field, fields } from "../lead/lead.ts";
import type { Language } from "./language.ts";

/** The sentence of each refusal as the intake or the database sends it. `spec/refusals.spec.ts` holds them together. */
export const refusalsAsSent = {
  nameMissing: "Please enter your full name.",
  emailMissing: "Please enter your email address.",
  phoneMissing: "Please enter your phone number.",
  zipCodeMissing: "Please enter your ZIP code.",
  nameTooLong: "Your full name is too long. Please shorten it to 500 characters or fewer.",
  emailTooLong: "Your email address is too long. Please shorten it to 500 characters or fewer.",
  phoneTooLong: "Your phone number is too long. Please shorten it to 500 characters or fewer.",
  zipCodeTooLong: "Your ZIP code is too long. Please shorten it to 500 characters or fewer.",
  formTooLong: "What you typed is too long for this form. Please shorten it and try again.",
  tooManyTries:
    "Many forms were sent from your internet connection just now. Please wait a minute and try again.",
  keyRefused: "We could not take your answers this way. Please press the button once more.",
  foreignPage:
    "This form is not on our own page, so we cannot take it here. Please open our page and try again.",
  notRead: "We could not read what your browser sent. Please reload the page and try again.",
  tooSlow: "Your answers took too long to reach us. Please check your internet connection and try again.",
  databaseUnreachable:
    "We could not save your answers just now. They are still here: please try again in a minute.",
  broken: "Something went wrong on our side. Your answers are still here: please try again in a minute.",
} as const;

export type RefusalName = keyof typeof refusalsAsSent;

/** The sentences of a language, by the sentences as they are sent. Empty for a language in which all are shown as sent. */
export function translations(refusals: Record<RefusalName, string>): Record<string, string> {
  const names = Object.keys(refusalsAsSent) as RefusalName[];
  return Object.fromEntries(
    names
      .filter((name) => refusals[name] !== refusalsAsSent[name])
      .map((name) => [refusalsAsSent[name], refusals[name]]),
  );
}

/** The sentence for the banner: as sent, or in the language of the page. */
export function refusalIn({ refusals, form }: Pick<Language, "refusals" | "form">, sent: string): string {
  const { [sent]: translated } = translations(refusals);
  return translated ?? (form.unknownRefusal ? `${form.unknownRefusal} ${sent}` : sent);
}

/** The field that a refusal, as it was sent, asks the visitor to correct. */
export function fieldNamedIn(sentence: string): Field["name"] | undefined {
  const words = sentence.toLowerCase();
  return fields.find(({ kind, label }) => kind === "text" && words.includes(`your ${label.toLowerCase()}`))
    ?.name;
}
