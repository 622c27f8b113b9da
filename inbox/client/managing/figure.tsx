// One figure with its name, large enough to read across a desk.
export function Figure({
  name,
  value,
  kind = "plain",
}: {
  name: string;
  value: string;
  kind?: "plain" | "bad";
}) {
  return (
    <div className={`figure ${kind}`}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
