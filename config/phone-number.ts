// The phone number in a text such as "(800) 555-0142 (TTY: 711)" or "1-800-MEDICARE ext. 5", as a provider writes it in a setting.

/** A number as a `tel:` link dials it: letters as on the keys of a phone, an extension apart (RFC 3966, 5.3). */
export function telAddress(phone: string): string {
  const { number, isForeign, isSpelt } = numberIn(phone);
  const rest = phone.slice(phone.indexOf(number) + number.length).replace(isSpelt ? lettersOver : "", "");
  const [, extension] = /^[\s,;(/–—-]{0,3}(?:ext(?:ension)?\.?|x|#)[\s:]{0,3}(\d+)/i.exec(rest) ?? [];
  const keys = "22233344455566677778889999";
  const digits = number
    .replace(/[a-z]/gi, (letter) => (isForeign ? "" : (keys[letter.toLowerCase().charCodeAt(0) - 97] ?? "")))
    .replace(/[^+\d]/g, "");
  return `tel:${digits}${extension ? `;ext=${extension}` : ""}`;
}

/** Whether a text holds a number that can be dialled: one of the USA, or one that begins with + and the country. */
export function isDialable(phone: string): boolean {
  const { number, isForeign, isFound } = numberIn(phone);
  // At most 15 digits (ITU-T E.164).
  return isForeign ? /^\+\d{8,15}$/.test(number.replaceAll(/[^+\d]/g, "")) : isFound;
}

function numberIn(phone: string) {
  const isForeign = phone.trim().startsWith("+") && !phone.trim().startsWith("+1");
  const [inDigits, spelt] = [firstNumber.exec(phone), firstSpelt.exec(phone)];
  // A number in digits after a spelt one is another line, such as that for TTY.
  const isSpelt =
    !isForeign &&
    spelt !== null &&
    (inDigits === null || (isOneName(spelt) && spelt.index + spelt[0].length <= inDigits.index));
  const found = isSpelt ? spelt : isForeign ? null : inDigits;
  const [number = ""] = found ?? phone.split(/(?=ext|x\s?\d|#)/i);
  return { number, isForeign, isSpelt, isFound: inDigits !== null || (spelt !== null && isOneName(spelt)) };
}

/** The first number of the USA that is written in digits, with whatever characters between them, as of "(800) 555-0142 (TTY: 711)". */
const firstNumber =
  /(?<!\d)(?:\+?1[^\d\p{L}]{0,3})?\(?\d{3}\)?[^\d\p{L}]{0,3}\d{3}[^\d\p{L}]{0,3}\d{4}(?!\d)/u;

/**
 * The first number with letters: an area code, of which none is 711 or 911, and seven letters or digits. Phones ignore what follows, as the E
 * of 1-800-MEDICARE.
 */
const firstSpelt = /(?:\+?1[^\d\p{L}]{0,3})?\(?[2-9](?!11)\d{2}\)?((?:[^\d\p{L}]{0,3}[\da-z]){7})/iu;

/** The letters after a spelt number, which phones ignore, up to an extension. */
const lettersOver = /^[a-z]{0,20}?(?=[^a-z]|(?:ext(?:ension)?\.?|x)[\s:]{0,3}\d)/i;

/**
 * Whether letters stand for digits, as in "800 get cgms" or "1 800 4 MY CGMS", and are not a sentence, as in "365 days a year": so many words
 * are a number only in capitals behind the country's 1.
 */
const isOneName = ([whole, letters = ""]: readonly string[]): boolean =>
  /[a-z]/i.test(letters) &&
  (letters.split(/\s/).length <= 3 || (!/[a-z]/.test(letters) && /^\+?1\D/.test(whole ?? "")));
