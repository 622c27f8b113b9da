// The field for the note of an outcome. It cuts nothing off a note that is too long, which a `maxLength` would do to a paste without a word.
import { useId, useRef, useState } from "react";
import { noteLength } from "../../api-values.ts";
import { useKeys } from "../page/keys.ts";
import { Notice } from "../page/notice.tsx";
import { count } from "../page/words.ts";

/** How many more characters a note may have; negative where it has too many. The server does not count blanks at its ends. */
const roomLeft = (note: string): number => noteLength - note.trim().length;

/** The room is said once there is no more than this. */
const roomSaid = 200;

interface Props {
  value: string;
  onType(text: string): void;
  /** Whether an outcome was not sent because the note is too long. */
  isRefused: boolean;
}

export function NoteField({ value, onType, isRefused }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useKeys({ t: () => field.current?.focus() });
  const room = roomLeft(value);
  const isRoomSaid = room <= roomSaid;
  return (
    <>
      <label className="field">
        Note, if one is wanted
        <span className="quiet">Type it first: pressing an outcome records both.</span>
        <textarea
          ref={field}
          rows={2}
          value={value}
          aria-keyshortcuts="t"
          aria-invalid={room < 0}
          aria-describedby={isRoomSaid ? id : undefined}
          onChange={({ target }) => onType(target.value)}
        />
      </label>
      {isRoomSaid && (
        <p id={id} className={room < 0 ? "field-problem" : "quiet"}>
          {room < 0
            ? `${count(-room, "character")} too many.`
            : `${count(room, "character is", "characters are")} left.`}
        </p>
      )}
      {isRefused && (
        <Notice kind="trouble">Nothing is recorded yet: the note is too long. Shorten it.</Notice>
      )}
    </>
  );
}

/** Keeps an outcome from being sent with a note that is too long. */
export function useTooLong(note: string) {
  const [isPressed, setPressed] = useState(false);
  const isTooLong = roomLeft(note) < 0;
  if (isPressed && !isTooLong) setPressed(false);
  const refuse = () => {
    if (isTooLong) setPressed(true);
    return isTooLong;
  };
  return { isRefused: isPressed && isTooLong, refuse };
}
