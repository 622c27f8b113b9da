// The search: a name, or a whole phone number, e-mail address or reference. Its words stay out of the address bar and the audit log.
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Icon } from "../page/icon.tsx";
import { useKeys } from "../page/keys.ts";

interface Props {
  words: string;
  onSearch(words: string): void;
}

export function SearchField({ words, onSearch }: Props) {
  const [typed, setTyped] = useState(words);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => setTyped(words), [words]);
  useKeys({ "/": () => field.current?.focus() });
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSearch(typed.trim());
  };
  const clear = () => {
    setTyped("");
    onSearch("");
    field.current?.focus();
  };
  return (
    <search>
      <form className="search" onSubmit={send}>
        <label htmlFor="search" className="visually-hidden">
          Search by name, phone, e-mail or reference
        </label>
        <Icon name="search" />
        <input
          id="search"
          ref={field}
          type="text"
          enterKeyHint="search"
          autoComplete="off"
          spellCheck={false}
          placeholder="Name, phone, e-mail or reference"
          value={typed}
          maxLength={200}
          onChange={({ target }) => {
            setTyped(target.value);
            if (target.value === "") onSearch("");
          }}
        />
        {words !== "" && (
          <button type="button" className="button quiet" onClick={clear}>
            Clear
          </button>
        )}
        <button type="submit" className="button">
          Search
        </button>
      </form>
    </search>
  );
}
