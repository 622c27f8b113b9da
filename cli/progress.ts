// The progress of a long command, in one line that is updated in place on a person's terminal.
import type { CommandContext } from "./command.ts";

/** Milliseconds between two updates. */
const interval = 200;

/** Makes a function that shows the part done, from 0 to 1, such as "Backing up: 35%  (Ctrl-C breaks off without harm)". */
export function progressOf(
  { showStatusLine }: Pick<CommandContext, "showStatusLine">,
  label: string,
  whatCtrlCDoes = "breaks off without harm",
): (part: number) => void {
  let next = 0;
  return (part) => {
    const now = performance.now();
    if (now < next) return;
    next = now + interval;
    showStatusLine(`${label}: ${Math.floor(part * 100)}%  (Ctrl-C ${whatCtrlCDoes})`);
  };
}
