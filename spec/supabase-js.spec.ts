// The unmodified Supabase client against the running product: what a page that was written for Supabase would see.
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { beforeAll, describe, expect, it } from "vitest";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { anonKey } from "./support/intake.ts";
import { startServer } from "./support/server.ts";

let database: TestDatabase;
let address: string;
let supabase: SupabaseClient;
beforeAll(async () => {
  database = await makeDatabase();
  ({ address } = await startServer({ DATABASE_URL: database.url }));
  supabase = createClient(address, anonKey);
});

const count = async () => (await database.owner`select from leads`).length;

describe("supabase-js", () => {
  it("inserts a lead, and an array of one", async () => {
    for (const values of [aLead({ name: "One" }), [aLead({ name: "An array" })]]) {
      expect(await supabase.from("leads").insert(values)).toMatchObject({
        status: 201,
        data: null,
        error: null,
      });
    }
    expect(await count()).toBe(2);
  });

  it("is told the number of leads inserted when it asks", async () => {
    const answer = await supabase.from("leads").insert(aLead({ name: "Counted" }), { count: "exact" });
    expect(answer).toMatchObject({ status: 201, count: 1, error: null });
  });

  it("sees the message for the visitor when a field is blank", async () => {
    const { status, error } = await supabase.from("leads").insert([aLead({ email: "" })]);
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: "23514", message: "Please enter your email address." });
  });

  it("throws the message for the visitor as an Error when it is told to throw", async () => {
    await expect(
      supabase
        .from("leads")
        .insert(aLead({ phone: " " }))
        .throwOnError(),
    ).rejects.toThrow("Please enter your phone number.");
  });

  it("is refused whatever an insert-only visitor may not do", async () => {
    const leads = supabase.from("leads");
    const before = await count();
    const refused = await Promise.all([
      leads.select(),
      leads.insert([aLead({ name: "Returned" })]).select(),
      leads
        .insert([aLead({ name: "Returned" })])
        .select()
        .single(),
      leads.upsert([aLead({ name: "Upserted" })]),
      leads.update({ name: "x" }).eq("id", 1),
      leads.delete().eq("id", 1),
    ]);
    expect(refused.map(({ status, error }) => `${status} ${error?.code}`)).toEqual(
      Array(6).fill("401 42501"),
    );
    expect(await count()).toBe(before);
  });

  it("is refused an empty array, two leads, an unknown column and an unknown table, with a message", async () => {
    const refused = await Promise.all([
      supabase.from("leads").insert([]),
      supabase.from("leads").insert([aLead(), aLead()]),
      supabase.from("leads").insert([aLead({ insulin: true })]),
      supabase.from("visitors").insert([aLead()]),
    ]);
    expect(refused.map(({ status, error }) => [status, error?.code])).toEqual([
      [400, "PGRST102"],
      [400, "PGRST102"],
      [400, "PGRST204"],
      [404, "PGRST205"],
    ]);
    for (const { error } of refused) expect(error?.message).toMatch(/\w/);
  });

  it("is refused with another key", async () => {
    const { status, error } = await createClient(address, "sb_publishable_other")
      .from("leads")
      .insert(aLead());
    expect(status).toBe(401);
    expect(error?.message).toMatch(/press the button once more/);
  });

  it("invokes submit-lead without an error", async () => {
    expect(await supabase.functions.invoke("submit-lead", { body: aLead() })).toMatchObject({ error: null });
  });
});
