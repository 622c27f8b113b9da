// Goes on to another page when the answer to a press is here.
import { useLocation } from "wouter";

/**
 * The function that goes on from the page of the press. Where the member has gone elsewhere while the answer was on its way it does
 * nothing: it would take a page from them on which they may be on the phone, or typing.
 */
export function useGoOn(): (path: string) => void {
  const [here, navigate] = useLocation();
  return (path) => {
    if (location.pathname === here) navigate(path);
  };
}
