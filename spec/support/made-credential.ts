// Passkeys that a program makes, and no authenticator: what anybody may send to the inbox (Web Authentication Level 3, 6.1 and 6.5).
import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

export interface MadeCredential {
  /** What the page of a browser would send. */
  credential: Record<string, unknown>;
  /** Of the credential's public key, in SPKI's PEM. */
  publicKey: string;
  /** The hash that an attestation states. */
  clientDataHash: Buffer;
}

export interface CredentialOrder {
  /** The inbox's address. */
  origin: string;
  challenge: string;
  /** The credential's id; unset: a new one. */
  id?: Buffer;
  /** The attestation: its format, and its statement, which may depend on the key and on what was signed. Unset: none. */
  attest?: Attest;
}

export type Attest = (made: Omit<MadeCredential, "credential">) => {
  format: string;
  statement: Map<string, unknown>;
};

/** Makes a credential as for `navigator.credentials.create`, with the flags that say that a person was verified. */
export function makeCredential({
  origin,
  challenge,
  id = randomBytes(16),
  attest = () => ({ format: "none", statement: new Map() }),
}: CredentialOrder): MadeCredential {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const key = new Map<number, unknown>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, bytesOf(x)],
    [-3, bytesOf(y)],
  ]);
  const clientData = Buffer.from(JSON.stringify({ type: "webauthn.create", challenge, origin }));
  const made = {
    publicKey: publicKey.export({ format: "pem", type: "spki" }) as string,
    clientDataHash: createHash("sha256").update(clientData).digest(),
  };
  const { format, statement } = attest(made);
  const authData = Buffer.concat([
    createHash("sha256").update(new URL(origin).hostname).digest(),
    // User present, user verified, attested credential data.
    Buffer.from([0x45]),
    // The counter and the authenticator's model.
    Buffer.alloc(4 + 16),
    Buffer.from([id.length >> 8, id.length & 0xff]),
    id,
    cbor(key),
  ]);
  const attestation = new Map<string, unknown>([
    ["fmt", format],
    ["attStmt", statement],
    ["authData", Uint8Array.from(authData)],
  ]);
  const name = id.toString("base64url");
  const credential = {
    id: name,
    rawId: name,
    type: "public-key",
    clientExtensionResults: {},
    response: {
      clientDataJSON: clientData.toString("base64url"),
      attestationObject: Buffer.from(cbor(attestation)).toString("base64url"),
      transports: ["internal"],
    },
  };
  return { credential, ...made };
}

const bytesOf = (base64url: string) => Uint8Array.from(Buffer.from(base64url, "base64url"));
const cbor = (value: unknown) => isoCBOR.encode(value as Parameters<typeof isoCBOR.encode>[0]);
