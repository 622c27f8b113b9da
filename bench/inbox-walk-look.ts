// What stands on a page of the inbox, as bench/inbox-walk.ts reads it.

/** A script that runs in the page, and returns what stands there, as far as the checks read it. */
export const look = `(() => {
  const text = (selector) => [...document.querySelectorAll(selector)].map((one) => one.innerText.trim()).join(" | ");
  const active = document.activeElement;
  const isField = active?.matches("textarea, input:not([type=checkbox], [type=radio]), select");
  return {
    path: location.pathname,
    title: text("h1"), claim: text(".claim-words"), history: text(".history"), permission: text(".permission .withdrawn"),
    person: text(".person-place .badge"), result: text("[aria-labelledby=eligibility] .notice h3"), rows: text(".row-name, .row-claim"),
    number: text(".number"), recorded: text("#recorded"), stopped: text("#stopped"),
    callButtons: document.querySelectorAll(".call > .button[aria-keyshortcuts=c]").length,
    troubles: text(".notice.trouble"), callTroubles: text(".call > .notice.trouble"), 
    banner: text(".banner.sticky"),
    hasForm: document.querySelector(".outcome") !== null,
    note: document.querySelector(".outcome textarea")?.value,
    prescriber: document.querySelector(".questions input[type=text]")?.value,
    hasDialog: document.querySelector("dialog[open]") !== null,
    activeField: isField ? active.closest("textarea") ? "note" : active.closest(".questions") && active.type === "text" ? "prescriber" : active.id || active.type : "",
    focusedText: active?.innerText?.slice(0, 40) ?? "",
    hasWayOn: [...document.querySelectorAll("main button, main a")].some((one) => one.getClientRects().length > 0 && !one.disabled),
    buttons: [...document.querySelectorAll("dialog[open] button, main button")].filter((one) => one.getClientRects().length > 0 && !one.disabled)
      .map((one) => one.innerText.replace(/^\\d\\s*/, "").trim().split("\\n")[0]),
  };
})()`;
/** What `look` returns. */
export interface Look
  extends Record<
    | "path"
    | "title"
    | "claim"
    | "history"
    | "permission"
    | "person"
    | "result"
    | "rows"
    | "number"
    | "recorded"
    | "stopped"
    | "troubles"
    | "callTroubles"
    | "banner"
    | "activeField"
    | "focusedText",
    string
  > {
  callButtons: number;
  hasForm: boolean;
  hasDialog: boolean;
  note?: string;
  prescriber?: string;
  /** Whether the page has a button or link that can be pressed. */
  hasWayOn: boolean;
  /** The names of the buttons that can be pressed. */
  buttons: string[];
}

/** Where the settled page differs from a fresh one, and what should not stand on it. */
export function differences(seen: Look, fresh: Look): string[] {
  const found: string[] = [];
  const same: (keyof Look)[] = ["title", "claim", "history", "permission", "person", "result"];
  if (seen.path === "/" && !seen.buttons.includes("Clear")) same.push("rows");
  if (!seen.recorded) same.push("number", "callButtons", "stopped");
  for (const name of same)
    if (seen[name] !== fresh[name]) found.push(`${name} is "${seen[name]}" and should be "${fresh[name]}"`);
  if (!seen.recorded && fresh.hasForm && !seen.hasForm) found.push("the form is missing");
  if (seen.banner) found.push(seen.banner);
  if (/out of date/.test(seen.troubles)) found.push(seen.troubles);
  if (/has this lead/.test(seen.callTroubles) && !/has it/.test(fresh.claim)) found.push(seen.callTroubles);
  if (!seen.hasWayOn) found.push("no way on");
  return found;
}
