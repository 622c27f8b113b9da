// What the doctor says of one thing it looked at: all is well, something is wrong and how to mend it, or it could not be
// looked at. Every file in this room returns a list of these.

export type Finding =
  | { is: "well"; says: string }
  | {
      is: "wrong";
      says: string;
      /** What to do or type. */
      mend: string;
    }
  | { is: "not examined"; says: string };

export const well = (says: string): Finding => ({ is: "well", says });
export const wrong = (says: string, mend: string): Finding => ({ is: "wrong", says, mend });
export const notExamined = (says: string): Finding => ({ is: "not examined", says });

/** What is examined. Addresses have no slash at their end. */
export interface Deployment {
  /** Where the data path and submit-lead are: a Supabase project, or our own server. */
  url: string;
  /** The anonymous key that the pages present. */
  key: string;
  /** Where the pages are; unknown for a project whose site was not told. */
  site: string | undefined;
}

/** Whether the backend is a Supabase project, as far as its address tells. */
export const isHosted = ({ url }: Pick<Deployment, "url">): boolean =>
  /\.supabase\.(co|in|red)$/.test(new URL(url).hostname);
