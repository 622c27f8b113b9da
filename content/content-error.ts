// The error of content that cannot be shown. It has a file of its own, because the form's script loads modules that throw this error, and
// must not load the texts of the languages with it.

/**
 * Settings or texts that cannot be shown. The message is for the person at the terminal, and may have several lines. An error of the renderer
 * is an instance too, though the build gives the renderer a class of its own.
 */
export class ContentError extends Error {
  override name = "ContentError";
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "ContentError";
  }
}
