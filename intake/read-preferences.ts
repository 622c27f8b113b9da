// Reads the preferences of an insert (the header Prefer, RFC 7240) as PostgREST would.
import * as refusals from "./refusals.ts";

/**
 * A preference that asks for rows back or for an upsert is not refused here: `readInsert` refuses it as a missing right (42501), after it
 * has read the body.
 */
export function readPreferences(prefer: string | null | undefined) {
  // Not `readItems`, because PostgREST divides at commas alone, so that a preference with a parameter is one that it does not know.
  const preferences = (prefer ?? "").split(",").map((one) => one.trim());
  const zone = preferences.find((one) => one.startsWith("timezone="));
  // Judged once: to make a time zone takes as long as to store a lead, and a request may name a thousand.
  const isZoneKnown = zone !== undefined && isKnown(zone);
  const unknown: string[] = [];
  // Of several with one name the first that is known counts, as in PostgREST; of time zones the first alone.
  const first = new Map<string, string>();
  for (const preference of preferences.filter((one) => one !== "")) {
    const [name = ""] = preference.split("=", 1);
    const namesZone = preference.startsWith("timezone=");
    const meant = namesZone && zone ? zone : preference;
    if (!(namesZone ? isZoneKnown : isKnown(meant))) unknown.push(preference);
    else if (!first.has(name)) first.set(name, meant);
  }
  const given = Object.keys(readers).flatMap((name) => first.get(name) ?? []);
  const strict = given.includes("handling=strict");
  return {
    refusal: strict && unknown.length > 0 ? refusals.noPreference(unknown.map(refusals.shown)) : undefined,
    wantsMoreThanAnInsert: given.some((p) => /^(return=(headers-only|representation)|resolution=)/.test(p)),
    missingIsDefault: given.includes("missing=default"),
    // As PostgREST counts a planned number of rows: not at all.
    wantsCount: given.includes("count=exact") || given.includes("count=estimated"),
    applied: given.filter((p) => /^(return=minimal$|(count|missing|handling|timezone)=)/.test(p)),
  };
}

const oneOf =
  (...values: string[]) =>
  (value: string) =>
    values.includes(value);

/** Whether a preference of that name may have that value, in the order in which PostgREST names those that it has applied. */
const readers: Record<string, (value: string) => boolean> = {
  resolution: oneOf("merge-duplicates", "ignore-duplicates"),
  missing: oneOf("default", "null"),
  return: oneOf("minimal", "headers-only", "representation"),
  count: oneOf("exact", "planned", "estimated"),
  tx: oneOf("commit", "rollback"),
  handling: oneOf("strict", "lenient"),
  timezone: isTimeZone,
  "max-affected": () => true,
};

function isKnown(preference: string): boolean {
  const [name = ""] = preference.split("=", 1);
  return (
    preference.includes("=") &&
    Object.hasOwn(readers, name) &&
    readers[name]?.(preference.slice(name.length + 1)) === true
  );
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}
