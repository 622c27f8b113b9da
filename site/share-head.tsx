// What the article says of itself to those who share it and to search engines: always that it is sponsored,
// and by whom.
import * as words from "../content/article.ts";
import type { Provider } from "../content/provider.ts";
import { shareCardPath } from "./share-card-path.ts";

export function ShareHead({ siteUrl, provider }: { siteUrl: string; provider: Provider }) {
  const title = `${words.label}: ${words.headline}`;
  const image = `${siteUrl}${shareCardPath(provider.name)}`;
  const facts = {
    "@context": "https://schema.org",
    "@type": "AdvertiserContentArticle",
    headline: words.headline,
    description: words.standfirst,
    image,
    url: `${siteUrl}/`,
    inLanguage: "en-US",
    sponsor: { "@type": "Organization", name: provider.name },
    author: { "@type": "Organization", name: provider.name },
  };
  const og = {
    type: "article",
    title,
    description: `Paid for by ${provider.name}. ${words.standfirst}`,
    url: `${siteUrl}/`,
    image,
    "image:width": "1200",
    "image:height": "630",
    "image:alt": `${title}. Paid for by ${provider.name}.`,
  };
  return (
    <>
      {Object.entries(og).map(([name, content]) => (
        <meta key={name} property={`og:${name}`} content={content} />
      ))}
      <meta name="twitter:card" content="summary_large_image" />
      <script
        type="application/ld+json"
        // A `<` in a setting must not end the script.
        dangerouslySetInnerHTML={{ __html: JSON.stringify(facts).replaceAll("<", "\\u003c") }}
      />
    </>
  );
}
