// Reads the preferences of an insert (the header Prefer, RFC 7240) as PostgREST would.
import { readItems } from "./header-values.ts";
import * as refusals from "./refusals.ts";

/**
 * A preference that asks for rows back or for an upsert is not refused here: `readInsert` refuses it as a missing right (42501), after it
 * has read the body.
 */
export function readPreferences(prefer: string | null | undefined) {
  const all = readItems(prefer ?? "").map(({ value }) => value);
  const unknown = all.filter((preference) => !isKnown(preference));
  // Of several with one name the first that is known counts, as in PostgREST.
  const first = new Map<string, string>();
  for (const preference of all.filter(isKnown)) {
    const [name = ""] = preference.split("=", 1);
    if (!first.has(name)) first.set(name, preference);
  }
  const given = [...first.values()];
  const strict = given.includes("handling=strict");
  return {
    refusal: strict && unknown.length > 0 ? refusals.noPreference(unknown.map(refusals.shown)) : undefined,
    wantsMoreThanAnInsert: given.some((p) => /^(return=(headers-only|representation)|resolution=)/.test(p)),
    missingIsDefault: given.includes("missing=default"),
    wantsCount: given.includes("count=exact"),
    applied: given.filter((p) => /^(return=minimal|count=exact|missing=default|handling=strict)$/.test(p)),
  };
}

const preferences: Record<string, readonly string[]> = {
  return: ["minimal", "headers-only", "representation"],
  count: ["exact", "planned", "estimated"],
  missing: ["default", "null"],
  resolution: ["merge-duplicates", "ignore-duplicates"],
  tx: ["commit", "rollback"],
  handling: ["strict", "lenient"],
};

function isKnown(preference: string): boolean {
  const [name = "", value] = preference.split("=", 2);
  if (name === "timezone") return value !== undefined;
  if (name === "max-affected") return /^\d+$/.test(value ?? "");
  return Object.hasOwn(preferences, name) && preferences[name]?.includes(value ?? "") === true;
}
