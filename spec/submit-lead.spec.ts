// Call 2 as the page, Supabase's client and strangers make it. (Specification 7, Contract 5)
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makeSubmitLead } from "../delivery/submit-lead.ts";
import { submitLeadCors, withCors } from "../web/cors.ts";
import { aLead } from "./support/database.ts";

const key = "sb_publishable_for_the_spec";
const address = "http://localhost/functions/v1/submit-lead";

function make(allowedOrigins: "*" | string[] = "*") {
  let woken = 0;
  const handle = withCors(
    submitLeadCors(allowedOrigins),
    makeSubmitLead({ isAnonKey: (one) => one === key, wake: () => void (woken += 1) }),
  );
  return { handle, woken: () => woken };
}
const call = (init: RequestInit = {}) =>
  new Request(address, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(aLead()),
    ...init,
  });

describe("submit-lead", () => {
  it("wakes the delivery and answers 202 with a small JSON", async () => {
    const { handle, woken } = make();
    const response = await handle(call());
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ accepted: true, message: "Thank you. The team is being told." });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "access-control-allow-origin": "*",
    });
    expect(woken()).toBe(1);
  });

  it("answers the same whatever it is sent, so that it cannot be asked who enquired", async () => {
    const { handle } = make();
    const answers = [];
    for (const body of [JSON.stringify(aLead()), "{}", "not JSON", "", "x".repeat(100_000), null]) {
      const response = await handle(call({ body }));
      answers.push([response.status, await response.text(), [...response.headers]]);
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it("takes the key as apikey too", async () => {
    const { handle, woken } = make();
    expect((await handle(call({ headers: { apikey: key } }))).status).toBe(202);
    expect(woken()).toBe(1);
  });

  it.each([
    [{}, "UNAUTHORIZED_NO_AUTH_HEADER", "Missing authorization header"],
    [{ authorization: "Bearer wrong" }, "UNAUTHORIZED", "Invalid API key"],
    [{ apikey: "wrong" }, "UNAUTHORIZED", "Invalid API key"],
    [{ authorization: "Bearer", apikey: key }, "UNAUTHORIZED", "Invalid API key"],
    [{ authorization: `Bearer ${key} x`, apikey: key }, "UNAUTHORIZED", "Invalid API key"],
    [{ authorization: "Basic abc" }, "UNAUTHORIZED_NO_AUTH_HEADER", "Missing authorization header"],
  ])("refuses %j with 401, a message, and CORS, and wakes nothing", async (headers, code, message) => {
    const { handle, woken } = make();
    const response = await handle(call({ headers: headers as Record<string, string> }));
    expect([response.status, await response.json()]).toEqual([401, { code, message }]);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(woken()).toBe(0);
  });

  it.each(["GET", "PUT", "PATCH", "DELETE", "HEAD"])("refuses %s with 405", async (method) => {
    const { handle, woken } = make();
    const response = await handle(call({ method, body: null }));
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    expect(await response.json()).toEqual({
      code: "METHOD_NOT_ALLOWED",
      message: "Call submit-lead with POST.",
    });
    expect(woken()).toBe(0);
  });

  it("answers a preflight itself, without a key, for the headers that Supabase's client sends", async () => {
    const { handle, woken } = make();
    const headers = { origin: "https://site.example", "access-control-request-method": "POST" };
    const response = await handle(new Request(address, { method: "OPTIONS", headers }));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "authorization, x-client-info, apikey, content-type",
      "access-control-allow-methods": "POST, OPTIONS",
    });
    expect(woken()).toBe(0);
  });

  it("allows the named sites only, when they are named", async () => {
    const { handle } = make(["https://site.example"]);
    const from = (origin: string) => handle(call({ headers: { authorization: `Bearer ${key}`, origin } }));
    expect((await from("https://site.example")).headers.get("access-control-allow-origin")).toBe(
      "https://site.example",
    );
    for (const origin of ["https://other.example", "https://site.example.other.example", "https://site"]) {
      const other = await from(origin);
      expect([
        other.status,
        other.headers.get("access-control-allow-origin"),
        other.headers.get("vary"),
      ]).toEqual([202, null, "origin"]);
    }
  });

  it("wakes the delivery before it reads the body, and answers also where the body never ends or breaks off", async () => {
    const { handle, woken } = make();
    let sent = 0;
    let wokenBefore: number | undefined;
    const pull = (controller: ReadableStreamDefaultController) => {
      wokenBefore ??= woken();
      sent += 1;
      controller.enqueue(new Uint8Array(4096));
    };
    const endless = new ReadableStream({ pull }, { highWaterMark: 0 });
    const response = await handle(call({ body: endless, duplex: "half" } as RequestInit));
    expect([response.status, woken(), wokenBefore]).toEqual([202, 1, 1]);
    expect(sent).toBeLessThan(10);
    const silent = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(9)) });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const waiting = handle(call({ body: silent, duplex: "half" } as RequestInit));
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await waiting).status).toBe(202);
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
    expect((await handle(call({ body: broken, duplex: "half" } as RequestInit))).status).toBe(202);
  });
});
