// Tells the server that a member works at this screen, at most once a minute, and looks whether the lock has come when nobody does.
import { useEffect } from "react";
import { callApi } from "../call-api.ts";
import { refresh } from "../queries.ts";

/** A minute less a little, so that a minute's activity is never told too late. */
const betweenTells = 55_000;
const kinds = ["keydown", "pointerdown", "pointermove", "wheel", "touchstart"] as const;

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
    let toldAt = 0;
    let lastAt = Date.now();
    const note = () => {
      lastAt = Date.now();
      if (lastAt - toldAt < betweenTells) return;
      toldAt = lastAt;
      callApi("keep-alive", leadOnScreen ? { lead: leadOnScreen } : {}).catch(() => refresh("me"));
    };
    // The server locks by itself; this finds out at once.
    const look = setInterval(() => {
      if (Date.now() - lastAt > idleMinutes * 60_000) refresh("me");
    }, 5_000);
    for (const kind of kinds) addEventListener(kind, note, { passive: true });
    return () => {
      clearInterval(look);
      for (const kind of kinds) removeEventListener(kind, note);
    };
  }, [idleMinutes]);
}
