// The pictures: the article's own drawing of a sensor on an arm and a reader, or the operator's photo in its
// place, and the small drawings of the three steps. Drawn here, of no brand's product.
import type { Photo } from "./built.ts";

const ink = "#1d2a28";
const skin = "#c98f66";
const shade = "#b57b54";
const green = "#1f5a51";

export function Picture({ alt, photo }: { alt: string; photo: Photo | null }) {
  if (photo) return <PhotoPicture alt={alt} photo={photo} />;
  return (
    <svg viewBox="0 0 800 480" role="img" aria-label={alt} xmlns="http://www.w3.org/2000/svg">
      <rect width="800" height="480" fill="#dfe8da" />
      <circle cx="300" cy="210" r="170" fill="#f4c766" />
      <path d="M500 480c-10-150 10-260 110-300 110-40 190 40 190 130v170z" fill={green} />
      <path
        d="M560 240 525 400 300 380"
        fill="none"
        stroke={skin}
        strokeWidth="76"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="548" cy="300" r="24" fill="#fff" stroke={shade} strokeWidth="4" />
      <rect x="200" y="270" width="120" height="170" rx="18" fill={ink} />
      <rect x="214" y="286" width="92" height="104" rx="6" fill="#f3f7ee" />
    </svg>
  );
}

function PhotoPicture({ alt, photo }: { alt: string; photo: Photo }) {
  const sizes = "(min-width: 64rem) 60rem, 100vw";
  return (
    <picture>
      {photo.sets.map(({ type, srcset }) => (
        <source key={type} type={type} srcSet={srcset} sizes={sizes} />
      ))}
      <img src={photo.fallback} alt={alt} width={photo.width} height={photo.height} fetchPriority="high" />
    </picture>
  );
}

/** Step 0, 1 or 2 of How It Works. It repeats the words beside it, so it is not announced. */
export function StepPicture({ step }: { step: number }) {
  return (
    <svg viewBox="0 0 120 120" aria-hidden="true">
      <circle cx="60" cy="60" r="58" fill="#dfe8da" />
      <text x="60" y="75">
        {step + 1}
      </text>
    </svg>
  );
}
