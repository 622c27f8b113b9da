// Gives the intake a login of its own: a role that may add leads and do nothing else. Its password follows from
// the owner's, so that several processes that start on one database agree without a word.
import { createHmac } from "node:crypto";
import { addressAs, type Sql } from "./connect.ts";

/** The role of the intake's connections, as the first migration makes it. */
const role = "leads_intake";

/**
 * Lets the intake's role log in and returns its address. `sql` and `address` are the owner's.
 * @throws the database's error when the owner may not change roles; `INTAKE_DATABASE_URL` is the way then.
 */
export async function openIntakeLogin(sql: Sql, address: string): Promise<string> {
  const password = createHmac("sha256", ownerSecret(address)).update(role).digest("base64url");
  await sql.unsafe(`alter role ${role} login password '${password}'`);
  return addressAs(address, role, password);
}

// Whoever knows the owner's password could read the leads anyway, so nothing is given away by deriving from it.
const ownerSecret = (address: string) => /^[a-z]+:\/\/[^@/?#]*?:([^@/?#]*)@/.exec(address)?.[1] ?? "";
