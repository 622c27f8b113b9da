// The Deno that runs the hosted function in the chapters about that function. Deno is about 90 MB, and only those chapters need it.
import { globSync } from "node:fs";
import { join } from "node:path";
import { fetchPackages } from "./fetched-packages.ts";

/** The path of Deno's program, fetched where it is not there yet; "deno" where npm has none for this kind of machine. */
export function bringDeno(): string {
  const packages = fetchPackages("deno");
  const [program] = globSync("@deno/*/deno", { cwd: packages });
  return program ? join(packages, program) : "deno";
}
