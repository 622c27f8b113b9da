// Reports a member's activity to the server, about once a minute at most. After the idle minutes it asks the server whether the session is
// locked, or locks the page by itself when nothing answers.
import { useEffect } from "react";
import { CallFailed, callApi } from "../call-api.ts";
import { queries, refresh } from "../queries.ts";
import { noteFailure, sessionState } from "../session.ts";
import { isAnswered } from "./connection.ts";

/** Milliseconds between two reports: a little less than a minute, so that activity is reported within the minute. */
const reportInterval = 55_000;
/** Milliseconds. A browser runs the timers of a page that is not on screen once a minute at least, and a machine that sleeps runs none. */
const maxTimerPause = 120_000;
const activityEvents = ["keydown", "pointerdown", "pointermove", "wheel", "touchstart"] as const;

let leadOnScreen: string | undefined;

/** The lead on screen, whose claim activity renews. */
export function useLeadOnScreen(id: string | undefined): void {
  useEffect(() => {
    leadOnScreen = id;
    return () => {
      leadOnScreen = undefined;
    };
  }, [id]);
}

export function useActivity(idleMinutes: number): void {
  useEffect(() => {
    let reportedAt = 0;
    let lastAt = Date.now();
    let checkedAt = lastAt;
    // The server locks the session by its own clock; asking then shows the lock at once. A server that cannot be asked, or could not
    // while the machine slept, has heard of no later activity on this page, so the page locks by itself.
    const checkIdle = () => {
      const now = Date.now();
      const hasSlept = now - checkedAt > maxTimerPause;
      checkedAt = now;
      // After the clock is set back, these times would be in the future, and would put off the next report and the lock.
      lastAt = Math.min(lastAt, now);
      reportedAt = Math.min(reportedAt, now);
      if (now - lastAt <= idleMinutes * 60_000) return;
      refresh("me");
      if (hasSlept || !isAnswered()) noteFailure(new CallFailed("locked"), queries);
    };
    const note = () => {
      // A machine that wakes up may be touched before its timers run.
      checkIdle();
      if (sessionState() === "locked") return;
      lastAt = Date.now();
      if (lastAt - reportedAt < reportInterval) return;
      reportedAt = lastAt;
      callApi("keep-alive", leadOnScreen ? { lead: leadOnScreen } : {}).catch(() => refresh("me"));
    };
    const idleCheck = setInterval(checkIdle, 5_000);
    for (const name of activityEvents) addEventListener(name, note, { passive: true });
    return () => {
      clearInterval(idleCheck);
      for (const name of activityEvents) removeEventListener(name, note);
    };
  }, [idleMinutes]);
}
