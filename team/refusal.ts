// What cannot be done as things stand, although what was asked is understood.

/** The message says why, in a sentence for the person who asked, without anything about a lead. */
export class Refusal extends Error {
  override name = "Refusal";
}
