// What a person is advised where a data folder cannot be used: to take it over from its owner, or to look at the disk.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { inWords } from "./data-folder.ts";
import { lockFolder } from "./folder-lock.ts";
import { setUp } from "./options.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "embedded-owner-"));
  // The process is taken for one of another user than the one that owns the folder.
  const uid = vi.spyOn(process, "getuid").mockReturnValue(65_534);
  onTestFinished(() => {
    uid.mockRestore();
    rmSync(dataDir, { recursive: true });
  });
});

const saidOf = (code: string) => {
  const cause = Object.assign(new Error("refused"), { code });
  return String(inWords(cause, dataDir, setUp({ dataDir })));
};

describe("a data folder of another user", () => {
  it.each(["EACCES", "EPERM"])(
    "is to be handed over where this user has no right to something in it: %s",
    (code) => {
      expect(saidOf(code)).toContain(`${dataDir} belongs to `);
      expect(saidOf(code)).toContain(`sudo chown -R `);
    },
  );

  it.each(["ENOSPC", "EROFS", "EIO", "EDQUOT"])("is not named where its disk is the reason: %s", (code) => {
    expect(saidOf(code)).toContain(
      `The data folder ${dataDir} cannot be used (${code}). See whether this user may write there, and whether its disk takes writes and has room, or `,
    );
  });

  it("is not named where this user may write to all of it, and the lock cannot be taken for another reason", () => {
    mkdirSync(join(dataDir, "supervisor.lock"));
    expect(() => lockFolder(dataDir, setUp({ dataDir }))).toThrow(
      `The data folder ${dataDir} cannot be written. See whether this user may write there, `,
    );
  });
});
