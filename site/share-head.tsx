// The article's metadata for social networks and search engines. It always says that the article is sponsored, and by whom, and gives the
// article's addresses in other languages.
import { withFullStop } from "../content/fill-in.ts";
import type { PageContent } from "./page-content.ts";
import { shareCardPath } from "./share-card-path.ts";

export function ShareHead({ content }: { content: PageContent }) {
  const { siteUrl, provider, fill, path, languages, code, hasShareCard } = content;
  const { article, tag } = content.texts;
  const url = `${siteUrl}${path || "/"}`;
  const title = `${article.label}: ${article.headline}`;
  const paidFor = fill(article.paidFor);
  const image = hasShareCard ? `${siteUrl}${shareCardPath(code, provider.name)}` : undefined;
  const facts = {
    "@context": "https://schema.org",
    "@type": "AdvertiserContentArticle",
    headline: article.headline,
    description: article.standfirst,
    image,
    url,
    inLanguage: tag,
    sponsor: { "@type": "Organization", name: provider.name },
    author: { "@type": "Organization", name: provider.name },
  };
  const og = {
    type: "article",
    locale: tag.replace("-", "_"),
    title,
    description: `${withFullStop(paidFor)} ${article.standfirst}`,
    url,
    ...(image && {
      image,
      "image:width": "1200",
      "image:height": "630",
      "image:alt": `${withFullStop(title)} ${withFullStop(paidFor)}`,
    }),
  };
  return (
    <>
      {languages.length > 1 &&
        languages.map((one) => (
          <link key={one.code} rel="alternate" hrefLang={one.tag} href={`${siteUrl}${one.path || "/"}`} />
        ))}
      {languages.length > 1 && <link rel="alternate" hrefLang="x-default" href={`${siteUrl}/`} />}
      {Object.entries(og).map(([name, value]) => (
        <meta key={name} property={`og:${name}`} content={value} />
      ))}
      <meta name="twitter:card" content={image ? "summary_large_image" : "summary"} />
      <script
        type="application/ld+json"
        // A `<` in a setting must not end the script.
        dangerouslySetInnerHTML={{ __html: JSON.stringify(facts).replaceAll("<", "\\u003c") }}
      />
    </>
  );
}
