// A row of buttons that stay pressed, to choose what a page shows.
interface Props<Name extends string | number> {
  /** What a screen reader says of the row. */
  label: string;
  options: readonly (readonly [Name, string])[];
  isChosen(name: NoInfer<Name>): boolean;
  onChoose(name: NoInfer<Name>): void;
}

export const Chips = <Name extends string | number>({ label, options, isChosen, onChoose }: Props<Name>) => (
  <fieldset className="chips" aria-label={label}>
    {options.map(([name, words]) => (
      <button
        key={name}
        type="button"
        className="chip"
        aria-pressed={isChosen(name)}
        onClick={() => onChoose(name)}
      >
        {words}
      </button>
    ))}
  </fieldset>
);
