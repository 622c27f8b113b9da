// The National Provider Identifier. It has a file of its own, because the form's script loads content/provider.ts, which needs it, and must
// not load the library that checks the settings.

/**
 * Whether a number is an NPI: ten digits of which the first is 1 or 2 (69 FR 3434), and the last is right. The number that Medicare itself
 * gives a supplier, which must not be published, has ten digits, too, and no check digit.
 */
export const isNpi = (number = ""): boolean => /^[12]\d{9}$/.test(number) && hasCheckDigit(`80840${number}`);

/** By the formula of Luhn; an NPI has it with the prefix 80840 (CMS, Requirements for NPI and NPI Check Digit). */
function hasCheckDigit(digits: string): boolean {
  const sum = Array.from(digits, Number)
    .toReversed()
    .reduce(
      (all, digit, at) => all + (at % 2 === 0 ? digit : Math.floor((2 * digit) / 10) + ((2 * digit) % 10)),
      0,
    );
  return sum % 10 === 0;
}
