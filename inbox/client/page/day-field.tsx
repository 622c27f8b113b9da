// A field for a day. It takes effect once a whole day is typed: at a pause, on Enter, or when the field is left. An incomplete
// day, one before 2000, or one whose year has more than four digits, stays in the field, and a message under it says so.
import { useEffect, useRef, useState } from "react";
import { CheckedField } from "./checked-field.tsx";

interface Props {
  label: string;
  /** YYYY-MM-DD; "" for none. */
  value: string;
  onChoose(day: string): void;
  /** Called when the field is emptied. Without it, a day is required. */
  onEmpty?(): void;
}

/** A year that is being typed is the year 2, 20 and 202 on its way to 2026, and none of them is chosen. */
const firstDay = "2000-01-01";
/** Without it a browser takes a year of six digits. */
export const lastDay = "9999-12-31";
const isDay = (text: string): boolean => text >= firstDay && text.length === firstDay.length;

/** Milliseconds. While a person types over a day, each digit may make another valid one, and each would ask for a list. */
const typingPause = 600;

export function DayField({ label, ...props }: Props) {
  const { shown, isWrong, type, leave } = useTypedDay(props);
  return (
    <CheckedField
      label={label}
      type="date"
      // The browser sends no form in which this day is incomplete, out of range, or missing while it is required.
      min={firstDay}
      max={lastDay}
      required={!props.onEmpty}
      value={shown}
      problem={
        isWrong ? "Type the whole day, from the year 2000 on, with four digits for the year." : undefined
      }
      onChange={({ target }) => type(target)}
      onKeyDown={({ key, currentTarget }) => key === "Enter" && leave(currentTarget)}
      onBlur={({ target }) => leave(target)}
    />
  );
}

function useTypedDay(props: Omit<Props, "label">) {
  // The timer reads the latest props, because they may change during the pause.
  const latest = useRef(props);
  latest.current = props;
  const { value } = props;
  // What stands in the field until it is chosen.
  const [typed, setTyped] = useState<string>();
  const [isWrong, setWrong] = useState(false);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const touched = useRef<HTMLInputElement>(undefined);
  // A day that was chosen elsewhere, or none, takes the place of what was typed.
  useEffect(() => {
    setTyped(undefined);
    setWrong(false);
    // The value of a field with a part of a day is empty, so React would leave that part where the new value is empty, too.
    if (touched.current) touched.current.value = value;
  }, [value]);
  // A day that was typed takes effect when the field goes during the pause, because it would be lost.
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
      touched.current = field;
      setTyped(field.value);
      setWrong(false);
      clearTimeout(pause.current);
      unchosen.current = () => choose(field);
      pause.current = setTimeout(unchosen.current, typingPause);
    },
    leave: (field: HTMLInputElement) => setWrong(!choose(field)),
  };
}
