// Vitest runs this file before each chapter, in the chapter's process: whatever the chapter starts is ended after it.
import { afterAll } from "vitest";
import { runEnds } from "./at-the-end.ts";

afterAll(runEnds);
