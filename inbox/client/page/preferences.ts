// What a member has chosen for this browser: shortcuts, sound, notifications. It holds no personal data.
import { makeSharedValue, useSharedValue } from "./shared-value.ts";

export interface Preferences {
  /** Single keys as shortcuts; they can be turned off because a voice or a shaking hand may press them (WCAG 2.1.4). */
  usesShortcuts: boolean;
  sound: boolean;
  notifications: boolean;
}

const storageKey = "inbox-preferences";
const initial: Preferences = { usesShortcuts: true, sound: false, notifications: false };
// Read and followed only when they are needed, because the first access to localStorage, and to its events, blocks the page.
const preferences = makeSharedValue<Preferences>(() => {
  addEventListener("storage", ({ key }) => {
    if (key === storageKey) preferences.set({ ...initial, ...kept() });
  });
  return { ...initial, ...kept() };
});

function kept(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? "{}");
  } catch {
    return {};
  }
}

export const currentPreferences = (): Preferences => preferences.get();
export const usePreferences = (): Preferences => useSharedValue(preferences);
export function prefer(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
  try {
    localStorage.setItem(storageKey, JSON.stringify(preferences.get()));
  } catch {
    // The storage is full or refused: the choice lasts as long as the page.
  }
}
