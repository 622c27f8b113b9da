// The inline script: fetches the form's script when the form is touched or gets the focus, or, once the page has been
// painted, when it is about a screen away. Until it has arrived, and if it never does, the form posts by itself. The counting script, where
// there is one, comes when everything else has.
import { textsOf } from "./form-attributes.ts";

/** The address of the form's script; the build writes it here. */
declare const FORM_SCRIPT: string;

const root = document.getElementById("lead-form") as HTMLElement;
const button = root.querySelector("button") as HTMLButtonElement;
const status = root.querySelector("[role=status]") as HTMLElement;
const texts = textsOf(root);
/**
 * Milliseconds after which a post that brought no page counts as stopped by the visitor, who may then press the button again. A lead that
 * is sent twice is stored once.
 */
const postTimeout = 20_000;
let asked = false;
let pressed = false;
let idleTimer: ReturnType<typeof setTimeout>;

/** How many elements the form has, and its text without what is typed. It shows whether something has changed the form. */
const contents = () => `${root.getElementsByTagName("*").length} ${root.textContent}`;
const served = contents();

function load() {
  if (asked) return;
  asked = true;
  (import(/* @vite-ignore */ FORM_SCRIPT) as Promise<typeof import("./hydrate-form.tsx")>).then(
    // Once the visitor has pressed the button the plain post is under way, and taking over now could send twice. A form
    // that a translation or a password manager has changed stays plain, because React would make it anew, and empty.
    ({ hydrateForm }) => pressed || contents() !== served || hydrateForm(root),
    () => {
      asked = false;
    },
  );
}

root.addEventListener("submit", (event) => {
  pressed = true;
  // Runs once the browser has begun the post, and does nothing when the form's script has prevented it.
  setTimeout(() => {
    if (event.defaultPrevented) return;
    removeError();
    say(texts.busy, texts.sending, true);
    clearTimeout(idleTimer);
    idleTimer = setTimeout(becomeIdle, postTimeout);
  });
});
// The back/forward cache restores the page as it was left, so the form may still look busy.
addEventListener("pageshow", ({ persisted }) => persisted && becomeIdle());

function removeError() {
  for (const one of root.querySelectorAll("[role=alert], .wrong")) one.remove();
  root.querySelector("[aria-invalid]")?.removeAttribute("aria-invalid");
  if (document.title.startsWith(texts.error)) document.title = document.title.slice(texts.error.length);
}

function becomeIdle() {
  // Not by its words, which the browser may have translated.
  if (button.disabled) say(texts.button, "", false);
}

function say(onButton: string, aloud: string, isBusy: boolean) {
  button.disabled = isBusy;
  button.textContent = onButton;
  status.textContent = aloud;
}

// The banner that came with the answer to a plain post: Safari on an iPhone passes over `autofocus`.
const banner = root.querySelector<HTMLElement>("[role=alert]");
if (banner && document.activeElement === document.body) {
  banner.focus();
  // On a small screen the browser scrolls past its beginning.
  if (banner.getBoundingClientRect().top < 0) banner.scrollIntoView();
}

root.addEventListener("pointerdown", load);
root.addEventListener("focusin", load);

// A task that a frame's callback queues runs after that frame has been painted.
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

// No frame is painted while the page is prerendered or in the background, so such a page is counted once it is shown.
const { count } = root.dataset;
if (count) addEventListener("load", () => requestAnimationFrame(() => setTimeout(fetchCounting, 0, count)));

function fetchCounting(src: string) {
  const script = document.createElement("script");
  // The page's address may hold an ad network's click id, which the request for this script must not pass on.
  document.head.append(Object.assign(script, { src, referrerPolicy: "no-referrer" }));
}
