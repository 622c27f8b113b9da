// A range of a difference, drawn around zero, with the words that say the same.
interface Props {
  name: string;
  /** Shares: 0.01 is one more of 100 loads. */
  range: { low: number; high: number };
}

export function RangePicture({ name, range: { low, high } }: Props) {
  // Zero stands in the middle, and both ends have room.
  const widest = Math.max(Math.abs(low), Math.abs(high)) * 1.2;
  const at = (share: number) => 50 + (share / widest) * 50;
  const isDecided = low > 0 || high < 0;
  return (
    <div className="range">
      <p>
        {name}: between {signed(low)} and {signed(high)} of 100 loads
      </p>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <line x1="0" x2="100" y1="5" y2="5" className="axis" />
        <rect
          className={isDecided ? "bar decided" : "bar"}
          x={at(low)}
          width={at(high) - at(low)}
          y="2"
          height="6"
        />
        <line x1="50" x2="50" y1="0" y2="10" className="zero" />
      </svg>
    </div>
  );
}

const signed = (share: number): string =>
  `${(100 * Math.abs(share)).toFixed(2)} ${share < 0 ? "fewer" : "more"}`;
