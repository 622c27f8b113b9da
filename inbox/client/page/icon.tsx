// The icons as SVG. Each is shown beside words that say the same, so screen readers skip it.

const paths = {
  queue: "M4 13h4l2 3h4l2-3h4M6.500 5h11L20 13v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-5z",
  phone: "M5 4h4l2 5-2.500 1.500a11 11 0 0 0 5 5L15 13l5 2v4a1 1 0 0 1-1 1A15 15 0 0 1 4 5a1 1 0 0 1 1-1z",
  stop: "M8.500 3.500h7l5 5v7l-5 5h-7l-5-5v-7zM9 9l6 6M15 9l-6 6",
  check: "M5 12.500l4.500 4.500L19 7.500",
  warning: "M12 4l9 16H3zM12 10v4M12 17v.01",
  info: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8v.01",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2",
  search: "M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM15.500 15.500L20 20",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.500 20a7.500 7.500 0 0 1 15 0",
  people:
    "M9 5a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM2.500 19a6.500 6.500 0 0 1 13 0M16 5.500a3.500 3.500 0 0 1 0 6.500M18 14a6 6 0 0 1 3.500 5",
  report: "M4 20h16M7 20v-6M12 20V6M17 20v-9",
  funnel: "M4 5h16l-6 7.500V18l-4 2v-7.500z",
  list: "M8 6h12M8 12h12M8 18h12M4 6v.01M4 12v.01M4 18v.01",
  health: "M3 12h4l2.500-6 4 12 2.500-6h5",
  menu: "M4 7h16M4 12h16M4 17h16",
  key: "M8 10a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 11.500L19 4M16 7l2.500 2.500",
  keyboard: "M3 7h18v10H3zM7 10.500v.01M10.500 10.500v.01M14 10.500v.01M17.500 10.500v.01M8 14h8",
  back: "M14 6l-6 6 6 6",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
