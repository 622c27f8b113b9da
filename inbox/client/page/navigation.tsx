// The navigation: beside the page on a wide screen, above it and folded up on a narrow one.
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import type { SignedIn } from "./frame.tsx";
import { Icon, type IconName } from "./icon.tsx";

interface Item {
  path: string;
  name: string;
  icon: IconName;
}

const work: Item[] = [
  { path: "/", name: "Queue", icon: "queue" },
  { path: "/stop", name: "Stop a number", icon: "stop" },
  { path: "/health", name: "Health", icon: "health" },
];
const managing: Item[] = [
  { path: "/reports", name: "Reports", icon: "report" },
  { path: "/campaigns", name: "Campaigns", icon: "funnel" },
  { path: "/audit-log", name: "Audit log", icon: "list" },
  { path: "/team", name: "Team", icon: "people" },
];

export function Navigation({ member, onShowShortcuts }: { member: SignedIn; onShowShortcuts(): void }) {
  const [isOpen, setOpen] = useState(false);
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu folds up when the page changes.
  useEffect(() => setOpen(false), [path]);
  const items = member.role === "manager" ? [...work, ...managing] : work;
  return (
    <header className="navigation" data-open={isOpen}>
      <Link href="/" className="brand">
        <Icon name="queue" /> Leads
      </Link>
      <button
        type="button"
        className="button quiet menu-button"
        aria-expanded={isOpen}
        aria-controls="menu"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="menu" /> Menu
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a press of a key on a link or a button is a click, too. */}
      <nav id="menu" aria-label="Pages" onClick={() => setOpen(false)}>
        <ul>
          {items.map((item) => (
            <NavigationItem key={item.path} {...item} isCurrent={isAt(path, item.path)} />
          ))}
        </ul>
        <ul className="navigation-end">
          <NavigationItem path="/account" name={member.name} icon="person" isCurrent={path === "/account"} />
          <li>
            <button type="button" onClick={onShowShortcuts}>
              <Icon name="keyboard" /> Shortcuts <kbd>?</kbd>
            </button>
          </li>
        </ul>
      </nav>
    </header>
  );
}

function NavigationItem({ path, name, icon, isCurrent }: Item & { isCurrent: boolean }) {
  return (
    <li>
      <Link href={path} aria-current={isCurrent ? "page" : undefined}>
        <Icon name={icon} /> {name}
      </Link>
    </li>
  );
}

const isAt = (path: string, item: string) =>
  item === "/" ? ["/", "/sign-in"].includes(path) || path.startsWith("/leads/") : path === item;
