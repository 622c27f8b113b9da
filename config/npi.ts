// What a National Provider Identifier looks like: ten digits that start with 1 or 2 (45 CFR 162.406). Apart from the settings, because the
// form's script needs it and not the library that checks them.
export const npiPattern = /^[12]\d{9}$/;
