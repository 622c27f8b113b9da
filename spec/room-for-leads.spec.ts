// A disk without room: leads are refused while everything else goes on, and whoever asks whether the server is ready is told so.
import postgres from "postgres";
import { expect, it } from "vitest";
import { watchRoom } from "../intake/room.ts";
import { aLead } from "./support/database.ts";

const full = Object.assign(new postgres.PostgresError("no room"), { code: "53100" });

it("is no server ready that has no room for leads, for a minute, or until one is stored", async () => {
  let time = 0;
  let failure: Error | undefined;
  const room = watchRoom(
    async () => {
      if (failure) throw failure;
    },
    () => time,
  );
  const store = () => room.store(aLead(), {});
  await store();
  expect(room.hasRoom()).toBe(true);
  failure = full;
  await expect(store()).rejects.toBe(full);
  expect(room.hasRoom()).toBe(false);
  time = 59_999;
  expect(room.hasRoom()).toBe(false);
  // A balancer sends it leads again, or it would never find out.
  time = 60_000;
  expect(room.hasRoom()).toBe(true);
  await expect(store()).rejects.toBe(full);
  expect(room.hasRoom()).toBe(false);
  failure = undefined;
  await store();
  expect(room.hasRoom()).toBe(true);
});

it("is a server ready whose leads are refused for another reason", async () => {
  const room = watchRoom(() => Promise.reject(new Error("another")));
  await expect(room.store(aLead(), {})).rejects.toThrow("another");
  expect(room.hasRoom()).toBe(true);
});
