// What cannot be done as things stand, although what was asked is understood.
import { reference } from "../lead/lead.ts";

/** The message says why, in a sentence for the person who asked, without anything that a visitor typed. */
export class Refusal extends Error {
  override name = "Refusal";
}

/** A lead that was found, and erased before anything was done with it. */
export const erasedMeanwhile = (id: string) => new Refusal(`There is no lead ${reference(id)} any more.`);
