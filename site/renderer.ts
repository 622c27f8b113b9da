// Loads the renderer that the build made of `render.tsx`, because Node runs TypeScript but no JSX.

/** The renderer's module. @throws when the site was never built. */
export const rendererModule = (): Promise<typeof import("./render.tsx")> =>
  import(new URL("../.render/render.js", import.meta.url).href);
