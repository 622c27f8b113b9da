// The public data path of hosted Supabase, where PostgREST inserts and our own intake is not in between, so SQL alone decides what one
// request may do and learn. `post` sends the statement that PostgREST writes.
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { aLead, makeDatabase, removeLeads } from "./support/database.ts";

const { owner } = await makeDatabase();
await owner`update private.channels set enabled = name = 'webhook'`;
beforeEach(() => removeLeads(owner));

/** Inserts as PostgREST does for one request, and returns the count that `Prefer: count=exact` would show. */
async function post(leads: readonly object[], sql: Sql = owner): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`
      select set_config('request.method', 'POST', true), set_config('request.headers', '{"prefer":"count=exact"}', true),
        set_config('role', 'anon', true)`;
    const [row] = await tx<{ count: number }[]>`
      with source as (
        insert into public.leads (name, email, phone, zip_code, has_medicare, has_diabetes)
        select name, email, phone, zip_code, has_medicare, has_diabetes
        from json_to_recordset(${JSON.stringify(leads)}::text::json) as row (
          name text, email text, phone text, zip_code text, has_medicare boolean, has_diabetes boolean
        )
        returning 1
      )
      select count(*)::int from source`;
    return row?.count ?? 0;
  });
}

const stored = () => owner`select name from public.leads`;

describe("one request on the public data path", () => {
  it("adds one lead", async () => {
    expect(await post([aLead()])).toBe(1);
    expect(await stored()).toHaveLength(1);
  });

  it("adds no second lead: the whole request is refused in plain words, and nothing is stored", async () => {
    await expect(post([aLead(), aLead({ name: "Ana" })])).rejects.toMatchObject({
      code: "PT400",
      message: "Send one lead: a JSON object, or an array of one.",
    });
    expect(await stored()).toEqual([]);
  });

  it("cannot fill the server's lock table with an array of thousands", async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => aLead({ name: `Visitor ${i}` }));
    await expect(post(many)).rejects.toMatchObject({ code: "PT400" });
  });

  it("may be followed by another request on the same connection", async () => {
    const single = connect((await makeDatabase()).url, { max: 1 });
    onTestFinished(() => single.end());
    expect(await post([aLead()], single)).toBe(1);
    expect(await post([aLead({ name: "Ana" })], single)).toBe(1);
    expect(await single`select from public.leads`).toHaveLength(2);
  });
});

describe("the same lead sent again on the public data path", () => {
  it("is counted as a new one is, so that nobody learns who enquired, and is stored once", async () => {
    expect(await post([aLead()])).toBe(1);
    expect(await post([aLead()])).toBe(1);
    expect(await stored()).toHaveLength(1);
  });

  it("leaves no second permission, no second delivery and no receipt of an erasure", async () => {
    await post([aLead()]);
    await post([aLead()]);
    const [count] = await owner`
      select (select count(*)::int from private.permissions) as permissions,
        (select count(*)::int from private.deliveries) as deliveries,
        (select count(*)::int from private.erasures) as erasures`;
    expect(count).toEqual({ permissions: 1, deliveries: 1, erasures: 0 });
  });
});

describe("a session that sets our own settings", () => {
  it("cannot remove a lead, nor keep one from being owed to the team", async () => {
    await owner`insert into public.leads ${owner(aLead())}`;
    const [lead] = await owner<{ id: string }[]>`select id from public.leads`;
    await owner.begin(async (tx) => {
      await tx`select set_config('leads.repeated', ${lead?.id ?? ""}, true), set_config('role', 'leads_intake', true)`;
      await tx`insert into public.leads ${tx(aLead({ name: "Ana" }))}`;
    });
    expect(await stored()).toHaveLength(2);
    expect(await owner`select from private.deliveries`).toHaveLength(2);
    expect(await owner`select from private.permissions`).toHaveLength(2);
  });
});
