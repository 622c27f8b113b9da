// Keeps the focus beside what a press has changed when the button goes with it: the browser would leave it nowhere, so that a keyboard
// and a screen reader would begin again at the top of the page.
import { type RefObject, useEffect, useRef } from "react";

/**
 * Returns where the focus goes, and what to call with the button that is pressed. Without a place on the page the focus goes to the page's
 * heading. Not to another button, which a key that is held would press.
 */
export function useFocusBeside<Place extends HTMLElement>(): [
  place: RefObject<Place | null>,
  notePress: (press: { currentTarget: Element }) => void,
] {
  const place = useRef<Place>(null);
  const pressed = useRef<Element>(undefined);
  // After each render, because the answer to the press, an event, or a load of the page may take the button away.
  useEffect(() => {
    if (!pressed.current || pressed.current.isConnected) return;
    pressed.current = undefined;
    if (document.activeElement === document.body) (place.current ?? document.querySelector("h1"))?.focus();
  });
  const notePress = ({ currentTarget }: { currentTarget: Element }) => {
    pressed.current = currentTarget;
  };
  // Whoever goes on elsewhere has left the press behind. In a dialog it may still be going on.
  useEffect(() => {
    const forget = ({ target }: Event) => {
      if (target instanceof Element && !target.closest("dialog") && !pressed.current?.contains(target))
        pressed.current = undefined;
    };
    for (const event of ["pointerdown", "keydown"]) addEventListener(event, forget, { capture: true });
    return () => {
      for (const event of ["pointerdown", "keydown"]) removeEventListener(event, forget, { capture: true });
    };
  }, []);
  return [place, notePress];
}
