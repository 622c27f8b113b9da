// The headers that keep the site safe: those that every answer carries, from our own server, the intake and
// any static host alike, and the policy that lets a document run only the style and script it was built with.
import { createHash } from "node:crypto";

/** The headers of every answer. HSTS only when the site's public address has TLS. */
export const commonHeaders = (siteUrl: string): Record<string, string> => ({
  "x-content-type-options": "nosniff",
  // Other sites get the origin alone, never the whole address. A hosted backend needs the origin to send a visitor back after a form post.
  "referrer-policy": "strict-origin-when-cross-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=(), browsing-topics=()",
  "x-frame-options": "DENY",
  ...(siteUrl.startsWith("https:") && { "strict-transport-security": "max-age=63072000" }),
});

/** The policy for an answer that is not a document: nothing at all. */
export const nothingAllowed = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'";

/** The policy for documents: of inline styles and scripts, only those that stand in them, by their hashes. */
export function contentSecurityPolicy(
  documents: readonly string[],
  { backendUrl, counting }: { backendUrl: string; counting?: boolean },
): string {
  const backend = backendUrl ? ` ${new URL(backendUrl).origin}` : "";
  return [
    "default-src 'none'",
    `style-src ${hashes(documents, "style").join(" ")}`,
    // The inline script fetches the form's script. JSON-LD is data: it has a type, never runs, needs no hash.
    `script-src ${["'self'", ...hashes(documents, "script")].join(" ")}`,
    // The backend serves the image that counts a browser without script.
    `img-src 'self'${counting ? backend : ""}`,
    "font-src 'self'",
    "manifest-src 'self'",
    `connect-src 'self'${backend}`,
    // Chromium applies this to the redirect after a post as well, so the page's own origin is always in it.
    `form-action 'self'${backend}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}

function hashes(documents: readonly string[], element: "style" | "script"): string[] {
  const texts = documents.flatMap((html) =>
    html
      .split(`<${element}>`)
      .slice(1)
      .map((rest) => rest.split(`</${element}>`, 1)[0] ?? ""),
  );
  return [...new Set(texts)].map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
}
