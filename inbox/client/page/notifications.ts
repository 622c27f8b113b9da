// Notifies a member that a lead is waiting, if they allowed it: by a sound, and by a desktop notification while they do not look at
// the inbox. No notification names a person. Each tab hears of a lead, and locks that the tabs share let only one of them notify.
import { hasLocks } from "../live-events.ts";
import { currentPreferences } from "./preferences.ts";

/** The minimum of milliseconds between two sounds of one tab, and between two notifications of it, however many leads come. */
const minInterval = 10_000;
/** When this tab last tried each, also where another tab came first. It tries no notification while the member looks at this page. */
const last = { sound: Number.NEGATIVE_INFINITY, notification: Number.NEGATIVE_INFINITY };

export function notifyOfLeads(): void {
  const { sound, notifications } = currentPreferences();
  if (sound && isTimeFor("sound")) void chimeInOneTab();
  if (notifications && !isLookedAt() && maySendNotifications() && isTimeFor("notification"))
    void notifyUnlessLookedAt();
}

function isTimeFor(kind: keyof typeof last): boolean {
  const now = performance.now();
  if (now - last[kind] < minInterval) return false;
  last[kind] = now;
  return true;
}

/** A window that stands beside another program's window is visible too, but it has the focus only while the member uses it. */
const isLookedAt = (): boolean => !document.hidden && document.hasFocus();

/** Held by the tab that the member looks at, or by the one that shows a notification. */
const lookedAtLock = "inbox-looked-at";
/** Held by the tab that sounds. */
const soundLock = "inbox-sound";
/** Milliseconds within which every tab hears of the same event. After a gap each tab asks by itself, and may be later. */
const untilAllHear = 1_000;

const attentionEvents = [
  [document, "visibilitychange"],
  [window, "focus"],
  [window, "blur"],
] as const;

/** Holds the lock `lookedAtLock` while the member looks at this tab, until the returned function is called. */
export function holdLockWhileLookedAt(): () => void {
  let release = () => {};
  const holdOrRelease = () => {
    release();
    if (!isLookedAt() || !hasLocks()) return;
    const isOver = new Promise<void>((resolve) => {
      release = resolve;
    });
    void navigator.locks.request(lookedAtLock, { mode: "shared" }, () => isOver);
  };
  holdOrRelease();
  for (const [target, event] of attentionEvents) target.addEventListener(event, holdOrRelease);
  return () => {
    for (const [target, event] of attentionEvents) target.removeEventListener(event, holdOrRelease);
    release();
  };
}

/** A member who looks at another tab of the inbox sees the lead there. */
async function notifyUnlessLookedAt(): Promise<void> {
  if (!hasLocks()) return void showNotification();
  await navigator.locks.request(lookedAtLock, { ifAvailable: true }, async (lock) => {
    if (!lock) {
      // None was shown, so the next lead may have one at once.
      if (await isAnyTabLookedAt()) last.notification = Number.NEGATIVE_INFINITY;
      return;
    }
    showNotification();
    // The lock is held until every tab has heard of the lead, because one that found it free would notify again.
    await new Promise((resolve) => setTimeout(resolve, untilAllHear));
  });
}

/** Tabs that the member looks at share the lock; one that shows a notification has it for itself. */
async function isAnyTabLookedAt(): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name, mode }) => name === lookedAtLock && mode === "shared");
}

/** A tab that nobody has touched asks for no lock, because the browser may refuse to play there, and the lock would silence the others. */
async function chimeInOneTab(): Promise<void> {
  if (!hasLocks() || !navigator.userActivation?.hasBeenActive) return chime();
  await navigator.locks.request(soundLock, { ifAvailable: true }, (lock) => (lock ? chime() : undefined));
}

/** Safari on an iPhone has no notifications. */
const hasNotifications = (): boolean => "Notification" in window;

/** The browser's permission can be taken away in its settings at any time. */
export const maySendNotifications = (): boolean =>
  hasNotifications() && Notification.permission === "granted";

/** Asks the member for the browser's permission, and shows a sample. False where the browser shows no notification. */
export async function allowNotifications(): Promise<boolean> {
  if (!hasNotifications() || (await Notification.requestPermission()) !== "granted") return false;
  return showNotification("This is how the inbox says that a lead is waiting");
}

/** False where the browser shows no notification. */
function showNotification(title = "A lead is waiting"): boolean {
  // A notification replaces the last one with the same `tag`. Without `renotify` it would do so in silence, even where nobody has seen it.
  const options = { tag: "lead", renotify: true, icon: "/assets/icon.svg" };
  try {
    const shown = new Notification(title, options);
    shown.onclick = () => {
      window.focus();
      shown.close();
    };
    return true;
  } catch {
    // Chrome on Android takes notifications from a service worker alone, and the inbox has none.
    return false;
  }
}

/** Two soft tones. A browser plays none before the member has touched the page. */
export async function chime(): Promise<void> {
  const audio = new AudioContext();
  for (const [nth, frequency] of [659, 880].entries()) {
    const tone = new OscillatorNode(audio, { frequency });
    const volume = new GainNode(audio, { gain: 0 });
    const begin = audio.currentTime + nth * 0.18;
    volume.gain.setTargetAtTime(0.12, begin, 0.01);
    volume.gain.setTargetAtTime(0, begin + 0.12, 0.06);
    tone.connect(volume).connect(audio.destination);
    tone.start(begin);
    tone.stop(begin + 0.6);
  }
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  await audio.close();
}
