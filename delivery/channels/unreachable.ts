// Says in words of our own why a server could not be talked to, by the code of the error, so that an operator knows what to
// correct: the name, the port, the certificate, TLS or not. Mail servers, webhooks and mail APIs share it.

/**
 * The reason, as in `the mail server's certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)`. `server` names who was
 * to answer. An error of no known kind is told by its code alone.
 */
export function whyUnreachable(server: string, error: unknown): string {
  const code = codeOfCause(error);
  const words = wordsFor(code);
  if (words) return `${server}${words} (${code})`;
  const denoWords = wordsOfDeno(error);
  return denoWords ? `${server}${denoWords}` : `no connection to ${server} (${code})`;
}

/** The code of a failed request. It may stand one or two causes deep, or beside a more general code of nodemailer. */
export function codeOfCause(error: unknown): string {
  let name = error instanceof Error ? error.name : "unknown";
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, originalCode, timeoutType } = cause as {
      code?: unknown;
      originalCode?: unknown;
      timeoutType?: unknown;
    };
    for (const one of [timeoutType, originalCode, code]) {
      if (typeof one === "string" && /^[A-Z0-9_/]+$/.test(one)) return one;
    }
    name = cause.name;
  }
  return name;
}

const untrusted =
  "'s certificate is not trusted: it is signed by itself or by an authority that this machine does not know";
const noTls =
  " speaks no TLS at this port: check the port, and whether the address should begin without the s";
const closed =
  " closed the connection before it answered: check the port, and whether it wants TLS from the first byte";
const otherTls =
  " refuses TLS as this program speaks it: check its versions and ciphers, and whether it wants a client certificate";
const brokenTls = " offers TLS and does not complete it: check its TLS, and any firewall in between";
const silent = " did not answer in time: check the address and the port, and any firewall in between";
const noName = "'s name does not resolve: check its spelling in the settings";

/** What follows the name of the server, by code: Node's, OpenSSL's, nodemailer's and undici's. */
const sentences: Record<string, string> = {
  ENOTFOUND: noName,
  EAI_AGAIN: "'s name cannot be looked up now: check this machine's network and its DNS",
  EDNS: noName,
  ECONNREFUSED: " refuses the connection: nothing listens at this address and port",
  EHOSTUNREACH: " cannot be reached: there is no way to it in the network",
  ENETUNREACH: " cannot be reached: there is no way to it in the network",
  ETIMEDOUT: silent,
  CONNECT_TIMEOUT: silent,
  SOCKET_TIMEOUT: silent,
  UPGRADE_TIMEOUT: brokenTls,
  ETLS: brokenTls,
  UND_ERR_CONNECT_TIMEOUT: silent,
  GREETING_TIMEOUT:
    " takes the connection and says nothing: at this port it may want TLS from the first byte (smtps://)",
  ECONNRESET: closed,
  EPIPE: closed,
  ECONNECTION: closed,
  UND_ERR_SOCKET: closed,
  HTTPParserError: " answers in something else than HTTP: check the address and the port",
  EPROTOCOL: " speaks another protocol at this port: check the port",
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE": otherTls,
  // The same, of an older OpenSSL.
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: otherTls,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: otherTls,
  ERR_SSL_UNSUPPORTED_PROTOCOL: otherTls,
  ERR_TLS_CERT_ALTNAME_INVALID: "'s certificate is for another name than the one in the settings",
  CERT_HAS_EXPIRED: "'s certificate has expired",
  CERT_NOT_YET_VALID: "'s certificate is not valid yet: check this machine's clock",
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_UNTRUSTED: untrusted,
};

/** The parser of HTTP names what it found, as HPE_INVALID_CONSTANT, or on newer versions of Node only itself. */
function wordsFor(code: string): string | undefined {
  const known = code.startsWith("HPE_") ? "HTTPParserError" : code;
  return Object.hasOwn(sentences, known) ? sentences[known] : undefined;
}

// Deno's fetch gives a message in its cause, and no code. The message tells the kind of failure, and is not repeated.
function wordsOfDeno(error: unknown): string | undefined {
  const messages: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) messages.push(cause.message);
  const text = messages.join(" ");
  return wordsByMessage.find(([part]) => text.includes(part))?.[1];
}

/** Parts of Deno's messages, in the order in which they are looked for. */
const wordsByMessage: [string, string | undefined][] = [
  ["NotValidForName", sentences.ERR_TLS_CERT_ALTNAME_INVALID],
  ["certificate: Expired", sentences.CERT_HAS_EXPIRED],
  ["invalid peer certificate", untrusted],
  ["dns error", noName],
  ["Connection refused", sentences.ECONNREFUSED],
  ["InvalidContentType", noTls],
  ["invalid HTTP version", closed],
  ["connection closed", closed],
  ["Connection reset", closed],
];
