// The inline script: fetches the form's script when the form is about a screen away or touched, never before
// the page has been painted. Until it has arrived, and if it never does, the form posts by itself.

/** The address of the form's script; the build writes it here. */
declare const FORM_SCRIPT: string;

const root = document.getElementById("lead-form") as HTMLElement;
let asked = false;
let pressed = false;

function load() {
  if (asked) return;
  asked = true;
  (import(/* @vite-ignore */ FORM_SCRIPT) as Promise<typeof import("./hydrate-form.tsx")>).then(
    // Once the visitor has pressed the button the plain post is under way: taking over now could send twice.
    ({ hydrateForm }) => pressed || hydrateForm(root),
    () => {
      asked = false;
    },
  );
}

root.addEventListener("submit", () => {
  pressed = true;
});
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
