// Refuses an experiment that lacks what a claim needs before a reader may see it: what substantiates it, where that can be checked,
// who approved it and when. It also refuses one that would change more than an experiment may.
import { type Claim, sources } from "./claims.ts";
import { ContentError } from "./content-error.ts";
import { type Approved, type Changes, type Experiment, original, type VariantPicture } from "./experiment.ts";
import { languageCodes } from "./languages.ts";
import { placeholdersOf } from "./provider.ts";

/**
 * Returns the experiments when each may be shown. `today` is YYYY-MM-DD.
 * @throws ContentError with a sentence for each thing that keeps one from being shown.
 */
export function checkExperiments(
  experiments: readonly Experiment[],
  today = new Date().toISOString().slice(0, 10),
): readonly Experiment[] {
  if (experiments.some((one) => typeof one !== "object" || one === null))
    throw new ContentError("The experiments in content/experiments.ts have an entry without anything in it.");
  const problems = experiments.flatMap((one) => problemsOf(one, today));
  const names = experiments.map(({ variant }) => variant);
  for (const twice of new Set(names.filter((name, at) => names.indexOf(name) !== at)))
    problems.push(
      `There are two variants "${twice}". Leads remember a name, so give the newer one another name.`,
    );
  // The page loads and leads of the original have the same name in each experiment, so their day says to which experiment they belong.
  // On the day of `endedOn` pages still show the variant until the restart, so the next one starts later.
  const inOrder = experiments.toSorted((one, other) => (one.startedOn < other.startedOn ? -1 : 1));
  for (const [nth, { variant, endedOn }] of inOrder.entries()) {
    const next = inOrder[nth + 1];
    if (next && (endedOn ?? "9999-12-31") >= next.startedOn)
      problems.push(
        `The variant "${variant}" ${endedOn ? `was ended on ${endedOn}` : "runs"}, and "${next.variant}" has started on ${next.startedOn}: only one runs at a time. End the first with endedOn, and start the other on a later day.`,
      );
  }
  if (problems.length === 0) return experiments;
  throw new ContentError(["The experiments in content/experiments.ts:", ...problems].join("\n  - "));
}

// Node runs the list without looking at its types, so nothing that a type promises is taken for granted here.
function problemsOf(
  { variant, language, changes, startedOn, endedOn, plan }: Experiment,
  today: string,
): string[] {
  const subject = `The variant "${variant}"`;
  const named = Object.entries(changes ?? {}) as [string, Partial<Approved<unknown>>][];
  const problems = named.flatMap(([place, approved]) =>
    isChangeable(place)
      ? faultsOf(approved ?? {}, changeable[place], startedOn).map(
          (fault) => `${subject} is not to be shown: its ${place} ${fault}.`,
        )
      : [
          `${subject} changes "${place}". An experiment may change only: ${Object.keys(changeable).join(", ")}.`,
        ],
  );
  if (typeof variant !== "string" || !/^[a-z0-9-]{1,40}$/.test(variant) || variant === original)
    problems.push(
      `${subject} needs ${variant ? "another" : "a"} name: 1 to 40 of a-z, 0-9 and "-", and not "${original}".`,
    );
  if (!languageCodes.includes(language))
    problems.push(`${subject} is in no language that the pages have (${languageCodes.join(", ")}).`);
  if (named.length === 0) problems.push(`${subject} changes nothing.`);
  if (!isDay(startedOn)) problems.push(`${subject} has no day in startedOn, such as 2026-12-01.`);
  else if (startedOn > today)
    problems.push(`${subject} starts on a day to come (days are of UTC). Add it on that day.`);
  if (endedOn !== undefined && !isDay(endedOn))
    problems.push(`${subject} has no day in endedOn, such as 2026-12-01.`);
  else if (endedOn !== undefined && isDay(startedOn) && endedOn < startedOn)
    problems.push(`${subject} has an endedOn before its start.`);
  else if (endedOn !== undefined && endedOn > today)
    problems.push(
      `${subject} ends on a day to come (days are of UTC), but endedOn takes it off the pages at once. Add it on that day.`,
    );
  if (!isPlan(plan)) problems.push(`${subject} has no usable plan, such as { rate: 0.02, lift: 0.3 }.`);
  return problems;
}

const isText = (given: unknown): boolean => typeof given === "string" && given.trim() !== "";

/** What a place of the article can show. */
interface Kind {
  fits(shows: unknown): boolean;
  /** What it is and how it is written, for a person who wrote something else there. */
  example: string;
}

const text: Kind = { fits: isText, example: 'text, such as "Words."' };
const picture: Kind = {
  fits: (shows) => {
    const { file, alt, caption } = (shows ?? {}) as Partial<VariantPicture>;
    return [file, alt, caption].every(isText);
  },
  example: 'picture, such as { file: "garden.jpg", alt: "Words.", caption: "Words." }',
};
const paragraphs: Kind = {
  fits: (shows) =>
    isListOf((paragraph) => isListOf((one) => isText(one) || isText((one as Claim).says), paragraph), shows),
  example: 'paragraphs, such as [["A sentence.", "Another one."]]',
};

const isListOf = (fits: (item: unknown) => boolean, list: unknown): boolean =>
  Array.isArray(list) && list.every(fits);

const changeable: Record<keyof Changes, Kind> = {
  headline: text,
  standfirst: text,
  picture,
  opening: paragraphs,
  extraSupport: paragraphs,
  future: paragraphs,
};
const isChangeable = (place: string): place is keyof Changes => Object.hasOwn(changeable, place);

/** What keeps a text or picture from being shown: what it lacks, and what is wrong in it. */
function faultsOf(approved: Partial<Approved<unknown>>, kind: Kind, startedOn: string): string[] {
  const { shows, substantiation, source = "", approvedBy, approvedOn = "" } = approved;
  const isSource = Object.hasOwn(sources, source) || URL.parse(source)?.protocol === "https:";
  return [
    ...faultOfShown(shows, kind),
    ...placeholdersOf(shows).map((one) =>
      one.startsWith("{") ? `has ${one}, which nothing fills there` : `has ${one}`,
    ),
    ...(isText(substantiation) ? [] : ["has no substantiation"]),
    ...(isSource ? [] : ["names no source (one of content/claims.ts, or an address with https)"]),
    ...(isText(approvedBy) ? [] : ["names no approver in approvedBy"]),
    ...(isDay(approvedOn) ? [] : ["has no day of approval in approvedOn"]),
    ...(isDay(approvedOn) && isDay(startedOn) && approvedOn > startedOn
      ? ["is approved on a day after the start"]
      : []),
  ];
}

function isPlan(plan: Experiment["plan"] | null | undefined): boolean {
  const { rate, lift } = plan ?? { rate: 0, lift: 0 };
  if (typeof rate !== "number" || typeof lift !== "number") return false;
  return rate > 0 && lift > -1 && lift !== 0 && rate < 1 && rate * (1 + lift) < 1;
}

function faultOfShown(shows: unknown, { fits, example }: Kind): string[] {
  if (isNothing(shows)) return ["shows nothing"];
  if (hasEmptyText(shows)) return ["has an empty text in it"];
  return fits(shows) ? [] : [`shows no ${example}`];
}

/** Whether it is missing, a blank text, or a list or an object without anything in it. */
function isNothing(shows: unknown): boolean {
  if (typeof shows === "string") return !isText(shows);
  if (typeof shows === "object" && shows !== null) return Object.keys(shows).length === 0;
  return shows === undefined || shows === null;
}

const hasEmptyText = (shows: unknown): boolean =>
  isNothing(shows) || (typeof shows === "object" && Object.values(shows ?? {}).some(hasEmptyText));

const isDay = (day: string | undefined): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(day ?? "") && new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, 10) === day;
