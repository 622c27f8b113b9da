// Loads the renderer that the build made of `render.tsx`, because Node runs TypeScript but no JSX.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BuildError, currentBuild } from "./build-folder.ts";

export type Renderer = typeof import("./render.tsx");

/** The renderer in a build's folder, by default the current build's. @throws BuildError when the site was never built. */
export function rendererModule(folder = currentBuild()?.folder): Promise<Renderer> {
  if (!folder) throw new BuildError("The site is not built yet. Build it first: npm run build");
  return import(pathToFileURL(join(folder, "render.js")).href);
}
