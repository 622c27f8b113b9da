/** Is shown in place of a name that has only blanks and invisible characters. The database writes the same words. */
export const noName = "(no name)";
