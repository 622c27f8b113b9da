// A disk without room: leads are refused while everything else goes on, and whoever asks whether the server is ready is told so.
import postgres from "postgres";
import { expect, it } from "vitest";
import { watchRoom } from "../intake/room.ts";
import { aLead } from "./support/database.ts";

const full = Object.assign(new postgres.PostgresError("no room"), { code: "53100" });

it("counts a server without room for leads as not ready for a minute, or until a lead is stored", async () => {
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
  // Ready again, because a server to which no load balancer sends leads would never find out that there is room.
  time = 60_000;
  expect(room.hasRoom()).toBe(true);
  await expect(store()).rejects.toBe(full);
  expect(room.hasRoom()).toBe(false);
  failure = undefined;
  await store();
  expect(room.hasRoom()).toBe(true);
});

it("counts a server whose leads are refused for another reason as ready", async () => {
  const room = watchRoom(() => Promise.reject(new Error("another")));
  await expect(room.store(aLead(), {})).rejects.toThrow("another");
  expect(room.hasRoom()).toBe(true);
});
