// Goes on to another page when the answer to a press is here.
import { useLocation } from "wouter";

/**
 * Returns a function that goes to another page only while the member is still on the one where they pressed, because elsewhere they may be
 * typing, or on the phone.
 */
export function useGoOn(): (path: string) => void {
  const [here, navigate] = useLocation();
  return (path) => {
    if (location.pathname === here) navigate(path);
  };
}
