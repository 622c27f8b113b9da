// The HTML document around every page: its head, with what browsers and search engines read, and its body.
import type { ReactNode } from "react";
import { built } from "./built.ts";

interface DocumentProps {
  /** The page's language, as BCP 47 says it. */
  lang: string;
  title: string;
  description: string;
  /** The address that search engines are to list for the page; none for a page that they are not to list. */
  canonical?: string;
  robots?: string;
  /** More for the head: the share card and what search engines read. */
  head?: ReactNode;
  /** An inline script at the end of the body. */
  script?: string;
  children: ReactNode;
}

export function Document({
  lang,
  title,
  description,
  canonical,
  robots,
  head,
  script,
  children,
}: DocumentProps) {
  return (
    <html lang={lang}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {/* Otherwise iPhones put a link around each number, also within the form, and React could not hydrate the changed form. */}
        <meta name="format-detection" content="telephone=no, date=no, email=no, address=no" />
        <title>{title}</title>
        <meta name="description" content={description} />
        {robots && <meta name="robots" content={robots} />}
        {canonical && <link rel="canonical" href={canonical} />}
        {built.fonts.map((font) => (
          <link key={font} rel="preload" href={font} as="font" type="font/woff2" crossOrigin="" />
        ))}
        <style dangerouslySetInnerHTML={{ __html: built.style }} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="manifest" href="/site.webmanifest" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content="#fbf8f1" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#131b1a" media="(prefers-color-scheme: dark)" />
        {head}
      </head>
      <body>
        {children}
        {script && <script dangerouslySetInnerHTML={{ __html: script }} />}
      </body>
    </html>
  );
}
