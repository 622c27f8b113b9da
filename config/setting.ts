// What an entry in the list of settings is made of: a kind of value, what it is for, its default and its example.
import * as v from "valibot";

type Value = v.GenericSchema<string, unknown>;

/** A setting that may be left out. `example` is what `.env.example` shows for it. */
export const optional = <Kind extends Value>(kind: Kind, about: string, example: string) =>
  v.pipe(v.optional(kind), v.description(about), v.examples([example]));

/** A setting with a default, which `.env.example` shows unless there is a better example. */
export const withDefault = <Kind extends Value, const Default extends string>(
  kind: Kind,
  defaultValue: Default,
  about: string,
  example: string = defaultValue,
) => v.pipe(v.optional(kind, defaultValue), v.description(about), v.examples([example]));
