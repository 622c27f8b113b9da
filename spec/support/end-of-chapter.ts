// Vitest runs this file before each chapter, in the chapter's process: what the chapter gave to atTheEnd is called after it.
import { afterAll } from "vitest";
import { runEnds } from "./at-the-end.ts";

afterAll(runEnds);
