/** What stands for a name that nobody could see, as private.shown says it, too. */
export const noName = "(no name)";
