// The pictures: the article's own drawing of a woman with a sensor and a reader, or the operator's photo in its
// place, and the small drawings of the three steps. Drawn for this page, of no brand's product.
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
    <svg viewBox="0 0 960 600" role="img" aria-label={alt} xmlns="http://www.w3.org/2000/svg">
      <path fill={wall} d="M0 0h960v600H0z" />
      <circle cx="640" cy="270" r="228" fill={sun} />
      <Plant />
      <Woman />
      <path fill="#b98d5a" d="M0 548h960v52H0z" />
      <path fill="#a67a48" d="M0 548h960v8H0z" />
      <Arm />
    </svg>
  );
}

const Plant = () => (
  <g fill="none" stroke="#5f8a6a" strokeWidth="30" strokeLinecap="round">
    <path d="M150 480q-6-120-74-190M152 470q-2-150 36-236M156 470q20-110 88-140" />
    <path d="M104 470h96l-14 78h-68z" fill="#c4693f" stroke="none" />
  </g>
);

const Woman = () => (
  <g>
    <path d="M620 190h84v96h-84z" fill={shade} />
    <path d="M562 600c-14-130-34-224 36-292 40-36 106-50 156-30 72 28 98 120 102 322z" fill={shirt} />
    <path d="M617 288q46 22 92-16" fill="none" stroke={sleeve} strokeWidth="18" strokeLinecap="round" />
    <path
      d="M580 96c14-34 44-52 82-52 48 0 78 38 74 96-4 62-42 104-84 104-32 0-50-18-58-40q-6-2-4-10l4-8q-8-4-4-12l2-8q-14-4-16-10 0-4 4-10 4-14 0-50z"
      fill={skin}
    />
    <path
      d="M572 104c2-62 46-92 98-88 58 4 92 48 86 116-4 44-14 76-34 104-16-2-26-10-30-24 12-26 10-46 2-62-12 6-24-4-18-22-30-10-46-30-52-54-14 20-30 30-52 30z"
      fill="#e9e6df"
    />
    <path
      d="M670 134q6-16 24-12 14 8 4 28-10 12-26 4"
      fill={skin}
      stroke={shade}
      strokeWidth="4"
      strokeLinecap="round"
    />
    <g fill="none" stroke={ink} strokeWidth="5" strokeLinecap="round">
      <circle cx="606" cy="134" r="20" fill={white} fillOpacity=".4" />
      <path d="m626 130 54 2" />
      <path d="M592 131q10-6 22 0" strokeWidth="4" />
      <path d="M599 139h0" strokeWidth="10" />
      <path d="M594 187q16 12 32-1" stroke="#7c3f2b" />
    </g>
  </g>
);

const Arm = () => (
  <g fill="none" strokeLinecap="round" strokeLinejoin="round">
    <path d="M716 330 674 504 452 452" stroke={skin} strokeWidth="84" />
    <path d="M634 462q-16-2-22 4" stroke={shade} strokeWidth="6" />
    <circle cx="722" cy="322" r="56" fill={sleeve} />
    <path d="m722 322-16 66" stroke={sleeve} strokeWidth="112" strokeLinecap="butt" />
    <Reader x={330} y={250} />
    <path d="M452 452q-20 0-34-8M448 420q-24-2-42-6M450 484q-16 2-36-6" stroke={skin} strokeWidth="30" />
    <Sensor x={692} y={440} />
  </g>
);

const Sensor = ({ x, y }: { x: number; y: number }) => (
  <g stroke="none" transform={`translate(${x} ${y})`}>
    <circle r="31" fill={shade} />
    <circle cy="-3" r="28" fill={white} />
    <circle cy="-3" r="19" fill="#e6e8e0" />
    <circle cy="-3" r="5" fill={shirt} />
  </g>
);

/** The digits are drawn, not written: the share card is made on machines that have no fonts. */
const Reader = ({ x, y }: { x: number; y: number }) => (
  <g transform={`translate(${x} ${y}) rotate(-6)`} fill="none" strokeLinecap="round" strokeLinejoin="round">
    <rect width="140" height="214" rx="20" fill={ink} />
    <rect x="12" y="14" width="116" height="160" rx="8" fill={white} />
    <path
      d="M30 40 38 32v46M54 40l8-8v46M78 42q2-12 14-12 13 0 12 13-1 9-27 35h28"
      stroke={ink}
      strokeWidth="9"
    />
    <path d="M46 103h44m-11-10 11 10-11 10" stroke={shirt} strokeWidth="7" />
    <path d="M12 126h116v26H12z" fill={wall} />
    <path d="M18 150c18-2 18-26 36-24s18 22 34 18 12-16 32-14" stroke={shirt} strokeWidth="6" />
    <circle cx="70" cy="193" r="9" fill="#5c6b67" />
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
  <g transform="translate(28 30) scale(.62)">
    <Reader x={0} y={10} />
    <path d="M158 66q14-12 0-24m14 40q30-28 0-56" fill="none" stroke={shirt} strokeWidth="9" />
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
