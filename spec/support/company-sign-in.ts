// The inbox with a company's own sign-in: a real OpenID provider that runs in this process, and lets anybody sign in under any name.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import type { CompanySettings } from "../../inbox/company-sign-in.ts";
import { atTheEnd } from "./at-the-end.ts";
import type { TestDatabase } from "./database.ts";
import { freePort } from "./free-port.ts";
import { serveInbox, type TestInbox } from "./inbox.ts";

const clientId = "leads-inbox";
const clientSecret = "a-secret-of-the-specification-alone";

/**
 * Serves the inbox of a database to the members of such a company. `differences` replace settings that fit the OpenID provider. With
 * `keys`, the OpenID provider publishes these in place of its own.
 */
export async function serveInboxOfCompany(
  database: TestDatabase,
  differences: Partial<CompanySettings> = {},
  logged: string[] = [],
  keys?: string,
): Promise<TestInbox> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const issuerServer = createServer().listen(0, "127.0.0.1");
  await once(issuerServer, "listening");
  atTheEnd(() => {
    issuerServer.closeAllConnections();
    issuerServer.close();
  });
  // For SameSite cookies 127.0.0.1 is another site than the inbox's localhost, as a real OpenID provider is another site.
  const issuer = `http://127.0.0.1:${(issuerServer.address() as AddressInfo).port}`;
  const oidc = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [`${url}/oidc/callback`] }],
    pkce: { required: () => true },
    cookies: { keys: ["a-key-of-the-specification"] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    // The provider lets anybody sign in under any name; the inbox decides who is a member.
    features: { devInteractions: { enabled: true } },
  });
  const serve = oidc.callback();
  issuerServer.on("request", (asked, answer) => {
    if (keys && asked.url === "/jwks") answer.setHeader("content-type", "application/json").end(keys);
    else serve(asked, answer);
  });
  const openIdConnect = { issuer, clientId, clientSecret, ...differences };
  return serveInbox(database, { port, url, openIdConnect }, { logged });
}
