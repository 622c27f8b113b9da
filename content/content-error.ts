// The error of content that cannot be shown. It has a file of its own, so that what the form's script takes from here brings no texts along.

/** Settings or texts that cannot be shown. The message has one sentence a line, for the person at the terminal. */
export class ContentError extends Error {
  override name = "ContentError";
}
