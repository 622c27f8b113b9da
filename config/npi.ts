// What a National Provider Identifier looks like: ten digits (45 CFR 162.406) of which the first is 1 or 2 (69 FR 3434). It has a file of
// its own, because the form's script loads content/provider.ts, which needs it, and must not load the library that checks the settings.
export const npiPattern = /^[12]\d{9}$/;
