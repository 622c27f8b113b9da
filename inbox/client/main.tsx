// Starts the inbox's pages in the browser.
import { QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { holdBackStrayPresses } from "./page/double-click.ts";
import { prefetch, queries } from "./queries.ts";
import { firstPage } from "./queue/first-page.ts";

holdBackStrayPresses();

// The pages are rendered once, when both answers are here: rendered without them first, they would take a slow machine longer.
const firstAnswers = [
  location.pathname !== "/join" && prefetch("me", {}),
  location.pathname === "/" && prefetch("queue", firstPage),
];

void Promise.all(firstAnswers).then(() =>
  createRoot(document.querySelector("#page") as HTMLElement).render(
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>,
  ),
);
