// Moves the focus to a place nearby when the button that was pressed leaves the page: the browser would leave the focus nowhere, so that
// a keyboard and a screen reader would begin again at the top of the page.
import { type RefObject, useEffect, useRef } from "react";

/**
 * Returns a ref for the place that the focus goes to, and a function to call at each press of such a button. Where no place is on the page,
 * the focus goes to the page's heading. The place must not be another button, because a key that is held would press it.
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
  // A member who goes on elsewhere on the page needs the focus there. A dialog may belong to the press, such as its question.
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
