// The pictures: the article's own drawing of a woman with a sensor and a reader, or the operator's photo in its
// place, the small drawings of the three steps, and the curve of a day. The drawings show no
// brand's product.
import type { Photo } from "./built.ts";

const ink = "#22302d";
const wall = "#dce7d9";
const sun = "#f3c363";
const skin = "#c68a60";
const shade = "#ad7149";
const shirt = "#1f6156";
const sleeve = "#174b43";
const white = "#fffdf8";

export function Picture({ alt, photo }: { alt: string; photo: Photo | null }) {
  if (photo) return <PhotoPicture alt={alt} photo={photo} />;
  return (
    <svg
      viewBox="0 0 960 600"
      role="img"
      aria-label={alt}
      xmlns="http://www.w3.org/2000/svg"
      fill="none"
      strokeWidth={5}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path fill={wall} d="M0 0h960v600H0z" />
      <circle cx="640" cy="270" r="228" fill={sun} />
      <Plant />
      <Woman />
      <path fill="#b98d5a" stroke="#a67a48" d="M-9 550h999v54H-9z" />
      <Arm />
    </svg>
  );
}

/** Leaves that taper, each with its rib, in a pot with a rim. */
const Plant = () => (
  <>
    <path
      d="M146 474c-24-70-20-150 22-222 26 76 22 152-4 222zm-8 4c-14-62-44-104-88-126 0 62 26 108 72 130zm30 0c8-52 38-94 92-112 2 56-24 98-74 116z"
      fill="#5f8a6a"
    />
    <path d="M156 470q10-100 11-168M132 476q-18-66-52-94M174 474q22-54 58-80" stroke="#8bb08f" />
    <path d="M102 484h100l-14 64h-72z" fill="#c4693f" />
    <path d="M96 470h112v22H96z" fill="#b25a33" />
  </>
);

const Woman = () => (
  <>
    {/* The neck, and the hand's palm behind the reader. */}
    <path d="m634 214 72-64 8 162h-90zM488 440l-138 6q4 30 42 44l84 10z" fill={shade} />
    <path d="M562 600c-14-130-26-222 46-286q16-14 40-19 30 28 58-3c104 4 146 90 152 308z" fill={shirt} />
    <path d="M646 294q28 26 52 4" stroke={sleeve} strokeWidth="12" />
    <path
      d="M592 100q-9 22-8 42-1 8-5 14l-14 20q-5 9 8 12l4 2q-3 5-4 10-3 4 1 8-3 5 1 10-2 6-1 14 5 24 38 22 42-3 68-40l20-70-40-60z"
      fill={skin}
    />
    <circle cx="612" cy="192" r="14" fill="#cf8660" />
    <path
      d="M588 120c-12-46 26-94 88-92s96 46 92 104c-2 40-16 78-40 92q-26 14-38-12 17-32 4-66-24-3-32-20-24 3-42-12-12 9-32 6z"
      fill="#e9e6df"
    />
    {/* Strands of the hair, and the eyebrow. */}
    <path d="M628 62q42-18 76 4 32 24 30 66m-28 64q18-10 26-34M588 122q12-7 24-2" stroke="#c8c3b7" />
    {/* The ear, and a line beside the eye. */}
    <path d="M672 150q8-14 22-8 12 8 2 24-8 12-20 4M626 166q7 2 11 8" fill={skin} stroke={shade} />
    <circle cx="684" cy="184" r="5" fill={sun} />
    <circle cx="602" cy="150" r="20" fill="#d9b292" stroke={ink} />
    <path d="m622 148 50 4m-81-3q8-6 17 0m-12 4 2 2-2 2-2-2z" stroke={ink} />
    <path d="M578 212q11 7 22-3" stroke="#7c3f2b" />
  </>
);

const Arm = () => (
  <>
    <Reader x={330} y={250} />
    <path
      d="M766 338c-2 70-22 136-46 182-12 20-32 28-58 22l-190-42c-24-4-36-14-40-34q-16-15-46-22c-16-6-10-24 6-24 36 4 66 14 90 30l130 16c14 2 22-4 25-14l36-130z"
      fill={skin}
    />
    <path d="M640 470q-14 0-22 6" stroke={shade} />
    <path d="M676 306c24-34 84-24 98 26l-22 104q-54 8-104-20z" fill={sleeve} />
    <path d="M651 406q48 26 104 18" stroke={shirt} />
    <Sensor x={692} y={472} />
    <path d="m339 351 7-1m-3 27 7-1m-4 27 7-1" stroke={skin} strokeWidth="22" />
  </>
);

const Sensor = ({ x, y }: { x: number; y: number }) => (
  <g transform={`translate(${x} ${y})`}>
    <circle r="31" fill={shade} />
    <circle cy="-3" r="24" fill="#e6e8e0" stroke={white} strokeWidth="9" />
    <circle cy="-3" r="5" fill={shirt} />
  </g>
);

/**
 * The lines take their round ends from the elements around the reader. The digits are drawn, not written, because the share card is made
 * on machines without fonts.
 */
const Reader = ({ x, y }: { x: number; y: number }) => (
  <g transform={`translate(${x} ${y}) rotate(-6)`}>
    <rect width="140" height="214" rx="20" fill={ink} />
    <rect x="12" y="14" width="116" height="160" rx="8" fill={white} />
    <path d="M12 126h116v26H12z" fill={wall} />
    <path
      d="M30 40 38 32v46M54 40l8-8v46M78 42q2-12 14-12 13 0 12 13-1 9-27 35h28"
      stroke={ink}
      strokeWidth="9"
    />
    <path
      d="M46 103h44m-11-10 11 10-11 10M18 150c18-2 18-26 36-24s18 22 34 18 12-16 32-14"
      stroke={shirt}
      strokeWidth="7"
    />
  </g>
);

function PhotoPicture({ alt, photo }: { alt: string; photo: Photo }) {
  return (
    <picture>
      {photo.sets.map(({ type, srcset }) => (
        <source key={type} type={type} srcSet={srcset} sizes="(min-width: 64rem) 60rem, 100vw" />
      ))}
      <img src={photo.fallback} alt={alt} width={photo.width} height={photo.height} fetchPriority="high" />
    </picture>
  );
}

/** Step 0, 1 or 2 of How It Works. It repeats the words beside it, so it is not announced. */
export function StepPicture({ step }: { step: number }) {
  return (
    <svg viewBox="0 0 160 160" aria-hidden="true">
      <clipPath id={`step-${step}`}>
        <circle cx="80" cy="80" r="80" />
      </clipPath>
      <g clipPath={`url(#step-${step})`} strokeLinecap="round" strokeLinejoin="round">
        <path fill={wall} d="M0 0h160v160H0z" />
        {[<Wear key="wear" />, <Check key="check" />, <Look key="look" />][step]}
      </g>
    </svg>
  );
}

const Wear = () => (
  <g fill="none">
    <path d="M104 0h60v164H86z" fill={shirt} />
    <path d="m98 40-10 84-108-16" stroke={skin} strokeWidth="46" />
    <path d="M104-12 95 64" stroke={sleeve} strokeWidth="62" strokeLinecap="butt" />
    <g transform="translate(91 92) scale(.68)">
      <Sensor x={0} y={0} />
    </g>
  </g>
);

/** The sensor from the side: its thread in the fluid under the skin, among the sugar that it reads. */
const Check = () => (
  <>
    <path fill={skin} d="M0 84h160v80H0z" />
    <path fill={shade} d="M0 106h160v60H0z" />
    <path d="M44 84v-6q0-14 16-14h40q16 0 16 14v6z" fill={white} stroke={ink} strokeWidth="4" />
    <path d="M80 84v42" stroke={white} strokeWidth="5" />
    <path d="M56 36q24-18 48 0M44 22q36-26 72 0" fill="none" stroke={shirt} strokeWidth="6" />
    <path d="M36 124h0M60 138h0M104 122h0M124 136h0M98 146h0M54 118h0" stroke={sun} strokeWidth="13" />
  </>
);

const Look = () => (
  <g fill="none" transform="translate(28 30) scale(.62)">
    <Reader x={0} y={10} />
    <circle cx="90" cy="195" r="9" fill="#5c6b67" />
    <path d="M158 66q14-12 0-24m14 40q30-28 0-56" stroke={shirt} strokeWidth="9" />
  </g>
);

/** A made-up day: four finger-sticks on the line that a CGM draws, and a low at night between two of them. */
export function DayPicture({ alt }: { alt: string }) {
  return (
    <svg className="day" viewBox="0 0 640 260" role="img" aria-label={alt}>
      <path className="band" d="M0 90h640v90H0z" />
      <path
        className="curve"
        d="M14 140c36 10 56 88 102 92 50 4 60-96 104-96 30 0 36-88 78-90 44 0 44 88 90 92 40 4 40-94 84-94 44 2 40 90 84 94 30 2 40-10 70-5"
      />
      <g className="sticks">
        {[
          [14, 140],
          [220, 136],
          [388, 138],
          [626, 133],
        ].map(([x, y]) => (
          <circle key={x} cx={x} cy={y} r="11" />
        ))}
      </g>
      <circle className="low" cx="116" cy="232" r="17" />
    </svg>
  );
}
