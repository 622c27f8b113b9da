// The inline script: fetches the form's script when the form is about a screen away or touched, never before
// the page has been painted. Until it has arrived, and if it never does, the form posts by itself.

import { busy, idle } from "./button-words.ts";

/** The address of the form's script; the build writes it here. */
declare const FORM_SCRIPT: string;

const root = document.getElementById("lead-form") as HTMLElement;
const button = root.querySelector("button") as HTMLButtonElement;
const status = root.querySelector("[role=status]") as HTMLElement;
/** Milliseconds until a post that brought no page counts as stopped by the visitor. Sending twice stores once. */
const patience = 20_000;
let asked = false;
let pressed = false;
let stopped: ReturnType<typeof setTimeout>;

/** What the form consists of; what is typed is no part of it. */
const parts = () => `${root.getElementsByTagName("*").length} ${root.textContent}`;
const served = parts();

function load() {
  if (asked) return;
  asked = true;
  (import(/* @vite-ignore */ FORM_SCRIPT) as Promise<typeof import("./hydrate-form.tsx")>).then(
    // Once the visitor has pressed the button the plain post is under way: taking over now could send twice. And a form
    // that a translation or a password manager has changed React would make anew, and empty.
    ({ hydrateForm }) => pressed || parts() !== served || hydrateForm(root),
    () => {
      asked = false;
    },
  );
}

root.addEventListener("submit", (event) => {
  pressed = true;
  // When the post is on its way, unless the form's script has taken it.
  setTimeout(() => {
    if (event.defaultPrevented) return;
    root.querySelector("[role=alert]")?.remove();
    document.title = document.title.replace(/^Error: /, "");
    say(busy, true);
    clearTimeout(stopped);
    stopped = setTimeout(becomeIdle, patience);
  });
});
// Out of the back/forward cache the page comes as it was left.
addEventListener("pageshow", ({ persisted }) => persisted && becomeIdle());

function becomeIdle() {
  if (button.textContent === busy.button) say(idle, false);
}

function say(words: typeof idle, isBusy: boolean) {
  button.disabled = isBusy;
  button.textContent = words.button;
  status.textContent = words.status;
}

root.addEventListener("pointerdown", load);
root.addEventListener("focusin", load);

// A frame has been painted once a task runs after its callbacks.
requestAnimationFrame(() =>
  setTimeout(() =>
    new IntersectionObserver(
      ([entry], observer) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        load();
      },
      { rootMargin: "100% 0px" },
    ).observe(root),
  ),
);
