// Notifies a member that a lead is waiting, if they allowed it: by a sound, and by a desktop notification while they look at another
// window. It names nobody.
import { currentPreferences } from "./preferences.ts";

/** The minimum of milliseconds between two notifications, however many leads come. */
const minInterval = 10_000;
let notifiedAt = Number.NEGATIVE_INFINITY;

export function notifyOfLeads(): void {
  const { sound, notifications } = currentPreferences();
  const now = performance.now();
  if (now - notifiedAt < minInterval || (!sound && !notifications)) return;
  notifiedAt = now;
  if (sound) void chime();
  if (notifications && document.hidden && hasNotifications() && Notification.permission === "granted")
    showNotification();
}

/** Safari on an iPhone has none. */
export const hasNotifications = (): boolean => "Notification" in window;

function showNotification(): void {
  try {
    const shown = new Notification("A lead is waiting", { tag: "lead", icon: "/assets/icon.svg" });
    shown.onclick = () => {
      window.focus();
      shown.close();
    };
  } catch {
    // Chrome on Android takes notifications from a service worker alone, and the inbox has none.
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
