// Holds back the second press of a double click where the first one has brought something else under the pointer: who presses "Next page"
// twice means that button, and not the person whose row comes to stand there.

/** What can be pressed. */
const pressable = "a, button, input, select, textarea, label, summary";

/** Begins to hold such presses back, on all pages. */
export function holdBackStrayPresses(): void {
  let first: Element | null = null;
  let isStray = false;
  const capture = { capture: true };
  addEventListener(
    "mousedown",
    ({ target, detail }) => {
      const pressed = target instanceof Element ? target.closest(pressable) : null;
      isStray = detail > 1 && pressed !== first;
      if (detail <= 1) first = pressed;
    },
    capture,
  );
  addEventListener(
    "click",
    (event) => {
      // The click that a key makes has a `detail` of 0.
      if (!isStray || event.detail <= 1) return;
      event.preventDefault();
      event.stopPropagation();
    },
    capture,
  );
}
