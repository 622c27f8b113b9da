// The headers of everything that the inbox answers: no other site may frame or read its pages, they send requests to no other, and
// no answer about a person is cached.

/** HSTS only when the public address has TLS. */
export const inboxHeaders = (inboxUrl: string): Record<string, string> => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "media-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; "),
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "permissions-policy":
    "camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=(), browsing-topics=(), publickey-credentials-get=(self), publickey-credentials-create=(self)",
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex, nofollow",
  ...(inboxUrl.startsWith("https:") && { "strict-transport-security": "max-age=63072000" }),
});
