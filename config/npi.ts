// What a National Provider Identifier looks like: ten digits (45 CFR 162.406) of which the first is 1 or 2 (69 FR 3434). In a file of
// its own, because content/provider.ts needs it, which the form's script loads: that shall not load the library that checks the settings.
export const npiPattern = /^[12]\d{9}$/;
