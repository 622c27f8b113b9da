// Starts the inbox's pages in the browser.
import { QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { prefetch, queries } from "./queries.ts";
import { firstPage } from "./queue/queue-page.tsx";

// The queue is asked for while the pages still find out who is in, because a member waits for both.
if (location.pathname === "/") prefetch("queue", firstPage);

createRoot(document.querySelector("#page") as HTMLElement).render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
);
