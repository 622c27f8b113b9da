// The provider: who pays for the article, who calls, and how to reach them. What the settings do not say gets
// a placeholder that a reader would believe and nobody owns, and the door warns of each at start.
import type { ProviderSettings } from "../config/config.ts";

export type Provider = Record<keyof typeof placeholders, string> & {
  /** The provider's own page on health data, linked from every footer; none is made up (RCW 19.373.010). */
  privacyUrl?: string;
};

/** 555-01xx numbers are set aside for fiction, and no identifier of a supplier starts with 0. */
const placeholders = {
  name: { setting: "PROVIDER_NAME", text: "Maple Lane Medical Supply" },
  legalName: { setting: "PROVIDER_LEGAL_NAME", text: "Maple Lane Medical Supply, Inc." },
  phone: { setting: "PROVIDER_PHONE", text: "(800) 555-0142" },
  callsFrom: { setting: "PROVIDER_CALLS_FROM", text: "(800) 555-0143" },
  address: { setting: "PROVIDER_ADDRESS", text: "48 Maple Lane, Suite 200, Fairview, OH 44999" },
  supplierId: { setting: "PROVIDER_SUPPLIER_ID", text: "0123456789" },
} as const;

/** Fills in the provider. `missing` names the settings without a value, for the warning at start. */
export function completeProvider(settings: ProviderSettings): { provider: Provider; missing: string[] } {
  const keys = Object.keys(placeholders) as (keyof typeof placeholders)[];
  // A provider who gives one number and not the other calls from that one: better than a number nobody owns.
  const given = { callsFrom: settings.phone, legalName: settings.name, ...settings };
  const filled = Object.fromEntries(keys.map((key) => [key, given[key] ?? placeholders[key].text]));
  const provider = { ...filled, ...(given.privacyUrl && { privacyUrl: given.privacyUrl }) };
  const missing = keys.filter((key) => !settings[key]).map((key) => placeholders[key].setting);
  return { provider: provider as Provider, missing };
}

/** A number as a `tel:` link dials it: letters as on the keys of a phone, an extension apart (RFC 3966, 5.3). */
export function dial(phone: string): string {
  const [, number = phone, extension] =
    /^(.*[\d\s)])(?:ext(?:ension)?\.?|x|#)\s*(\d+)\D*$/i.exec(phone) ?? [];
  // Where the digits make a number by themselves, the letters only talk about it.
  const isSpelt = number.replace(/\D/g, "").length < 10;
  const keys = "22233344455566677778889999";
  const digits = number
    .replace(/[a-z]/gi, (letter) => (isSpelt ? (keys[letter.toLowerCase().charCodeAt(0) - 97] ?? "") : ""))
    .replace(/[^+\d]/g, "");
  return `tel:${digits}${extension ? `;ext=${extension}` : ""}`;
}
