// The key, by looking at it alone: is it one that may stand in a page, and is it this project's?
import { type Deployment, type Finding, fail, isHosted, pass } from "./finding.ts";

const takeTheOther =
  "Take the publishable key (sb_publishable_...) from the project's API keys, build the pages with it as VITE_SUPABASE_ANON_KEY, and replace the secret one: whoever saw the page has it.";

/** Looks at the key; `now` decides whether a JWT has expired. */
export function examineKey(deployment: Deployment, now: Date): Finding[] {
  const { key } = deployment;
  if (/^sb_secret_/.test(key))
    return [fail("The key is a secret key. It opens every lead to whoever has it.", takeTheOther)];
  const claims = claimsOf(key);
  if (claims) return [examineClaims(deployment, claims, now)];
  if (/^sb_publishable_/.test(key)) return [pass("The key is a publishable one, made to stand in a page.")];
  if (!isHosted(deployment)) return [pass("The key is a word of this server's own.")];
  return [
    fail(
      "The key is neither a publishable key (sb_publishable_...) nor an anon key (eyJ...).",
      "Copy it again from the project's API keys; perhaps a piece is missing.",
    ),
  ];
}

interface Claims {
  role?: unknown;
  ref?: unknown;
  exp?: unknown;
}

function claimsOf(key: string): Claims | undefined {
  const [, payload, signature] = /^eyJ[\w-]*\.([\w-]+)\.([\w-]+)$/.exec(key) ?? [];
  if (!payload || !signature) return undefined;
  try {
    return JSON.parse(Buffer.from(payload, "base64url").toString()) as Claims;
  } catch {
    return undefined;
  }
}

/** Whether a text is the service key: a JWT, whose role is encoded in it. */
export const isServiceKey = (key: string): boolean => claimsOf(key)?.role === "service_role";

function examineClaims({ url }: Deployment, { role, ref, exp }: Claims, now: Date): Finding {
  if (role === "service_role")
    return fail("The key is the service key. It opens every lead to whoever has it.", takeTheOther);
  if (role !== "anon") {
    return fail(
      "The key is a JWT, but not one of the role anon.",
      "Copy the anon or publishable key from the project's API keys.",
    );
  }
  const [project] = new URL(url).hostname.split(".");
  if (isHosted({ url }) && typeof ref === "string" && ref !== project) {
    return fail(
      "The key belongs to another project than the address.",
      "Copy address and key from the same project.",
    );
  }
  if (typeof exp === "number" && exp * 1000 < now.getTime()) {
    return fail(
      "The key has expired.",
      "Take the publishable key from the project's API keys, and build the pages with it.",
    );
  }
  return pass(
    "The key is an anon key (a long JWT). Supabase means to end that kind; publishable keys replace it.",
  );
}
