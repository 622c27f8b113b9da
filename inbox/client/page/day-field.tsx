// A field for a day. It takes effect once a whole day is typed: at a pause, on Enter, or when the field is left. What is no whole day
// stays there, and is said to be none.
import { useEffect, useRef, useState } from "react";
import { CheckedField } from "./checked-field.tsx";

interface Props {
  name: string;
  /** YYYY-MM-DD; "" for none. */
  value: string;
  onChoose(day: string): void;
  /** Given where no day is a choice, too. */
  onEmpty?(): void;
}

/** A year that is being typed is the year 2, 20 and 202 on its way to 2026, and none of them is chosen. */
const firstDay = "2000-01-01";
const isDay = (text: string): boolean => text >= firstDay && text.length === firstDay.length;

/** Milliseconds. Over another day, each digit that is typed may make a whole day on the way to the one that is meant, and ask for a list. */
const typingPause = 600;

export function DayField({ name, ...props }: Props) {
  const { shown, isWrong, type, leave } = useTypedDay(props);
  return (
    <CheckedField
      name={name}
      type="date"
      // A form that holds it is not sent with less than a whole day.
      min={firstDay}
      required={!props.onEmpty}
      value={shown}
      problem={isWrong ? "Type the whole day, with four digits for the year." : undefined}
      onChange={({ target }) => type(target)}
      onKeyDown={({ key, currentTarget }) => key === "Enter" && leave(currentTarget)}
      onBlur={({ target }) => leave(target)}
    />
  );
}

function useTypedDay(props: Omit<Props, "name">) {
  // What is chosen after a pause goes by what holds then.
  const latest = useRef(props);
  latest.current = props;
  const { value } = props;
  // What stands in the field until it is chosen.
  const [typed, setTyped] = useState<string>();
  const [isWrong, setWrong] = useState(false);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a day that was chosen elsewhere takes the place of what was typed.
  useEffect(() => {
    setTyped(undefined);
    setWrong(false);
  }, [value]);
  // A day that was typed just before the page goes is no less typed.
  const unchosen = useRef<() => void>(undefined);
  useEffect(() => () => unchosen.current?.(), []);
  const choose = ({ value: day, validity }: HTMLInputElement): boolean => {
    clearTimeout(pause.current);
    unchosen.current = undefined;
    const { value, onChoose, onEmpty } = latest.current;
    // While a part of the day is typed the value is empty, too.
    const isEmpty = day === "" && !validity.badInput && onEmpty !== undefined;
    if (isDay(day) && day !== value) onChoose(day);
    if (isEmpty && value !== "") onEmpty();
    return isDay(day) || isEmpty;
  };
  return {
    shown: typed ?? value,
    isWrong,
    type(field: HTMLInputElement) {
      setTyped(field.value);
      setWrong(false);
      clearTimeout(pause.current);
      unchosen.current = () => choose(field);
      pause.current = setTimeout(unchosen.current, typingPause);
    },
    leave: (field: HTMLInputElement) => setWrong(!choose(field)),
  };
}
