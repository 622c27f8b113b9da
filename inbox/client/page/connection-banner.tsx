// Says that the server cannot be reached, or that it or its database does not answer, and that what was typed is kept.
import { useEffect, useRef } from "react";
import { announce } from "./announcer.tsx";
import { useConnection } from "./connection.ts";
import { Icon } from "./icon.tsx";

const sentences = {
  offline: "No connection. What you type stays here, and this page catches up when the connection is back.",
  "database unreachable":
    "The server or its database does not answer. What you type stays here, and this page catches up when it does.",
};

export function ConnectionBanner() {
  const connection = useConnection();
  const before = useRef(connection);
  useEffect(() => {
    if (connection === "connected" && before.current !== "connected") announce("Connected again.");
    before.current = connection;
  }, [connection]);
  if (connection === "connected") return null;
  return (
    <div className="banner sticky" role="alert">
      <Icon name="warning" /> {sentences[connection]}
    </div>
  );
}
