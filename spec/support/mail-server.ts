// A mail server as the provider might have one: a real SMTP server that keeps what it takes and misbehaves as the test says.
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { onTestFinished } from "vitest";

export interface TakenMail {
  to: string[];
  /** The mail as it came over the wire. */
  raw: string;
  /** The headers' values by lower-case name, unfolded. */
  headers: Map<string, string>;
}

/** The error with which a handler of the mail server refuses something; `responseCode` is SMTP's, such as 550. */
export const refusal = (responseCode: number, words = "No."): Error =>
  Object.assign(new Error(words), { responseCode });

/** Starts a mail server; it is closed when the test is over. */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const mails: TakenMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString();
        mails.push({ to: session.envelope.rcptTo.map((to) => to.address), raw, headers: headersOf(raw) });
        done();
      });
    },
    ...options,
  });
  // Some tests abort their connections.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, port, mails, server };
}

/** A whole mail, its headers too, with quoted-printable undone. */
export function decoded(raw: string): string {
  const softBreaks = raw.replaceAll("=\r\n", "");
  const bytes = softBreaks.replaceAll(/=([0-9A-F]{2})/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function headersOf(raw: string): Map<string, string> {
  const head = raw.split("\r\n\r\n", 1)[0] ?? "";
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
}
