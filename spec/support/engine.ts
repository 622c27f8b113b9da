// A browser of another engine, as far as a visitor's journey needs one. Playwright drives only its own builds of Firefox and
// WebKit, and puppeteer brings 57 MB, so each is driven by the standard protocol that the browser itself supports.

export interface Engine {
  goto(url: string): Promise<void>;
  /** Types into the field that a CSS selector finds, after what stands there is removed. */
  fill(selector: string, text: string): Promise<void>;
  click(selector: string): Promise<void>;
  /** The result of an expression in the page. */
  evaluate<Result>(expression: string): Promise<Result>;
  close(): Promise<void>;
}

/** An engine's programs on this machine, which may be missing. */
export interface EnginePrograms {
  name: string;
  /** Debian's packages to install where the engine is not there; undefined when it is. */
  missingPackages: string | undefined;
  launch(): Promise<Engine>;
}
