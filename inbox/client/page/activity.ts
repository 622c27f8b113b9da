// Reports a member's activity to the server, about once a minute at most, or more often where the idle minutes are 1 or 2. After
// the idle minutes it asks the server whether the session is locked, or locks the page by itself when nothing answers.
import { useEffect } from "react";
import { CallFailed, callApi } from "../call-api.ts";
import { queries, refresh } from "../queries.ts";
import { noteFailure, sessionState } from "../session.ts";
import { isAnswered } from "./connection.ts";

/** Milliseconds between two reports at least. */
const reportInterval = (idleMinutes: number) => Math.min(55_000, idleMinutes * 20_000);
/** Milliseconds. A browser runs the timers of a hidden page once a minute, unless it freezes the page; a machine that sleeps runs none. */
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

/** When any tab reported activity last, so that none locks by itself while its member works in another. */
const reportKey = "inbox-activity";

function keepReportTime(at: number): void {
  try {
    localStorage.setItem(reportKey, String(at));
  } catch {
    // The storage is full or refused.
  }
}

function reportedByAnyTab(now: number): number {
  try {
    const at = Number(localStorage.getItem(reportKey));
    // A time to come was kept while the clock was ahead.
    return at <= now ? at : 0;
  } catch {
    return 0;
  }
}

/** Reports activity that was noted, as often as `reportInterval` allows. */
function makeReports(idleMinutes: number) {
  let reportedAt = 0;
  let unreported: number | undefined;
  return {
    note(at: number) {
      unreported = at;
    },
    send() {
      const now = Date.now();
      // After the clock is set back, it would be in the future, and would put off the next report.
      reportedAt = Math.min(reportedAt, now);
      if (unreported === undefined || now - reportedAt < reportInterval(idleMinutes)) return;
      const isRecent = now - unreported <= maxTimerPause;
      unreported = undefined;
      // The server takes a report for activity at this moment, so it locks up to a minute late, and two where the browser runs the
      // timers of a hidden page seldom. What is longer past, as after a sleep, is not reported.
      if (!isRecent || sessionState() === "locked") return;
      reportedAt = now;
      keepReportTime(now);
      callApi("keep-alive", leadOnScreen ? { lead: leadOnScreen } : {}).catch(() => refresh("me"));
    },
  };
}

export function useActivity(idleMinutes: number): void {
  useEffect(() => {
    const idleAfter = idleMinutes * 60_000;
    const reports = makeReports(idleMinutes);
    let lastAt = Date.now();
    let checkedAt = lastAt;
    // The server locks the session by its own clock; asking then shows the lock at once. A server that cannot be asked, or could not
    // while the machine slept, has heard of no later activity in any tab, so the page locks by itself.
    const checkIdle = () => {
      const now = Date.now();
      const isAwayFromAll = now - reportedByAnyTab(now) > idleAfter;
      const hasSlept = now - checkedAt > maxTimerPause;
      checkedAt = now;
      // After the clock is set back, it would be in the future, and would put off the lock.
      lastAt = Math.min(lastAt, now);
      if (now - lastAt <= idleAfter) return;
      refresh("me");
      if (isAwayFromAll && (hasSlept || !isAnswered())) noteFailure(new CallFailed("locked"), queries);
    };
    const note = () => {
      // A machine that wakes up may be touched before its timers run.
      checkIdle();
      if (sessionState() === "locked") return;
      lastAt = Date.now();
      reports.note(lastAt);
      reports.send();
    };
    const timer = setInterval(() => {
      checkIdle();
      reports.send();
    }, 5_000);
    for (const name of activityEvents) addEventListener(name, note, { passive: true });
    return () => {
      clearInterval(timer);
      for (const name of activityEvents) removeEventListener(name, note);
    };
  }, [idleMinutes]);
}
