// Starts the inbox's pages in the browser.
import { QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { queries } from "./queries.ts";

createRoot(document.querySelector("#page") as HTMLElement).render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
);
