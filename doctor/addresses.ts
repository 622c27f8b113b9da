// The names and certificates of the deployment's addresses, which expire although nobody changes anything: whether each name resolves,
// its certificate is trusted, is for that name, and is not about to expire.
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { isIP } from "node:net";
import { checkServerIdentity, connect, type TLSSocket } from "node:tls";
import { codeOf } from "../log/log.ts";
import { type Answer, ask, summaryOf } from "./ask.ts";
import { type Deployment, type Finding, fail, pass } from "./finding.ts";

/**
 * Days. A certificate with fewer days left was not renewed in time: programs renew one when a third of its days is left, such as 30 of 90.
 * One made for less than 42 days needs a third of its days left.
 */
const minDays = 14;

const timeout = 15_000;
const day = 24 * 60 * 60_000;

/** Examines each origin once, and whether the inbox's address shows the inbox. */
export async function examineAddresses({ url, site, inbox }: Deployment, now: Date): Promise<Finding[]> {
  const addresses = [url, site, inbox].filter((address) => address !== undefined);
  const origins = [...new Set(addresses.map((address) => new URL(address).origin))];
  const findings = await Promise.all(origins.map((origin) => examineCertificate(origin, { now })));
  return [...findings.flat(), ...(inbox ? [await examineInbox(inbox)] : [])];
}

/** Examines one address. Has no finding for an http address. `ca` is a test's own authority, in place of those of the machine. */
export async function examineCertificate(
  origin: string,
  { now, ca }: { now: Date; ca?: string },
): Promise<Finding[]> {
  const { protocol, hostname, port } = new URL(origin);
  if (protocol !== "https:") return [];
  const host = hostname.replace(/^\[|\]$/g, "");
  try {
    await lookup(host);
  } catch (error) {
    return [
      fail(
        `The name ${host} does not resolve (${codeOf(error)}).`,
        "Check its spelling, and its DNS record.",
      ),
    ];
  }
  const socket = connect({
    host,
    port: Number(port || 443),
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca && { ca }),
    // An untrusted one is looked at too, to say what is wrong with it.
    rejectUnauthorized: false,
    timeout,
  });
  try {
    socket.once("timeout", () => socket.destroy(Object.assign(new Error(), { code: "ETIMEDOUT" })));
    await once(socket, "secureConnect");
    return [judge(host, socket, now)];
  } catch (error) {
    return [fail(`There is no TLS at ${origin} (${codeOf(error)}).`, whyNoTls(codeOf(error)))];
  } finally {
    socket.destroy();
  }
}

/** What to do where no connection is encrypted. A server that has no certificate for a name refuses with an alert (RFC 8446, 6.2). */
const whyNoTls = (code: string): string =>
  /^ERR_SSL_.*(ALERT|UNRECOGNIZED_NAME)/.test(code)
    ? "See whether the web server has a certificate for this name: with Caddy, `journalctl -u caddy`."
    : "See whether the web server in front runs.";

function judge(host: string, socket: TLSSocket, now: Date): Finding {
  const certificate = socket.getPeerCertificate();
  const end = Date.parse(certificate.valid_to);
  const daysLeft = (end - now.getTime()) / day;
  const minLeft = Math.min(minDays, (end - Date.parse(certificate.valid_from)) / day / 3);
  const days = Math.floor(daysLeft);
  const renew = "See why it is not renewed: with Caddy, `journalctl -u caddy`.";
  if (days < 0) return fail(`The certificate of ${host} has expired.`, renew);
  if (checkServerIdentity(host, certificate))
    return fail(
      `The certificate at ${host} is for another name.`,
      "Have the web server get one for this name.",
    );
  if (!socket.authorized) {
    const code = String(socket.authorizationError ?? "not trusted");
    return fail(
      `Browsers do not trust the certificate of ${host} (${code}).`,
      code === "CERT_NOT_YET_VALID"
        ? "Check this machine's clock, and from when the certificate is valid."
        : "Take one from an authority that browsers know, with the certificates between.",
    );
  }
  if (daysLeft < minLeft) return fail(`The certificate of ${host} expires in ${inWords(days)}.`, renew);
  return pass(`The certificate of ${host} is good for ${inWords(days)} more.`);
}

const inWords = (days: number): string =>
  days < 1 ? "less than a day" : days === 1 ? "1 day" : `${days} days`;

async function examineInbox(inbox: string): Promise<Finding> {
  const answer = await ask(`${inbox}/`);
  if (isInbox(answer)) return pass("The team's inbox is there.");
  return fail(
    `The team's inbox is not at ${inbox} (${summaryOf(answer)}).`,
    "See whether it runs (INBOX, INBOX_PORT), and whether the web server in front passes INBOX_URL on to it.",
  );
}

/** Recognizes the inbox by the address of its script, because another site may have the same title. */
const isInbox = (answer: Awaited<ReturnType<typeof ask>>): answer is Answer =>
  answer.status === 200 &&
  "body" in answer &&
  /<script [a-z ="]{1,40}src="\/assets\/inbox-/.test(answer.body);
