// What a screen reader announces of a page, from top to bottom, as lines that a person can read: made from Chromium's accessibility
// tree, one line for each paragraph, heading, field or other block.
import type { Page } from "playwright-core";

interface Node {
  nodeId: string;
  ignored: boolean;
  role?: { value: string };
  name?: { value: string };
  description?: { value: string };
  properties?: { name: string; value: { value?: unknown } }[];
  childIds?: string[];
}

/** The lines of a page. */
export async function transcriptOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send("Accessibility.getFullAXTree")) as unknown as { nodes: Node[] };
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const lines: string[] = [];
  let sentence = "";
  const endLine = () => {
    const line = sentence.replaceAll(/\s+/g, " ").replaceAll(" .", ".").trim();
    if (line) lines.push(line);
    sentence = "";
  };
  const walk = (node: Node, isInLabel = false) => {
    const role = node.role?.value;
    // A field is announced with its label.
    if (isInLabel && role === "StaticText") return;
    if (role === "listitem") endLine();
    const announcement = node.ignored ? undefined : announcementOf(node);
    if (announcement?.isInline) sentence += ` ${announcement.text}`;
    else if (announcement) {
      endLine();
      lines.push(announcement.text);
    }
    if (!announcement?.isWhole)
      for (const id of node.childIds ?? []) walk(byId.get(id) as Node, isInLabel || role === "LabelText");
    if (!announcement?.isInline && isBlock(node)) endLine();
  };
  walk(nodes[0] as Node);
  endLine();
  return lines.join("\n");
}

const isBlock = ({ role }: Node) =>
  !["StaticText", "generic", "strong", "none", "LabelText"].includes(role?.value ?? "");

/** What is announced for a node. When it is `isWhole`, its children are not announced; when it is `isInline`, it stays in the line. */
function announcementOf(node: Node): { text: string; isInline?: boolean; isWhole?: boolean } | undefined {
  const { role, name, description } = node;
  const about = (property: string) => node.properties?.find((one) => one.name === property)?.value.value;
  const words = name?.value ?? "";
  const more = description?.value ? `, “${description.value}”` : "";
  switch (role?.value) {
    case "RootWebArea":
      return { text: `page: ${words}` };
    case "StaticText":
      return { text: words, isInline: true, isWhole: true };
    case "link":
      return { text: `[link: ${words}]`, isInline: true, isWhole: true };
    case "heading":
      return { text: `heading ${about("level")}: ${words}`, isWhole: true };
    case "image":
    case "img":
      return { text: `image: ${words}`, isWhole: true };
    case "button":
      return { text: `button: ${words}${about("disabled") ? ", unavailable" : ""}`, isWhole: true };
    case "textbox":
      return {
        text: `edit: ${words}${about("required") ? ", required" : ""}${about("invalid") === "true" ? ", invalid" : ""}${more}`,
        isWhole: true,
      };
    case "checkbox":
      return {
        text: `check box: ${words}, ${about("checked") === "true" ? "checked" : "not checked"}`,
        isWhole: true,
      };
    case "listitem":
      return { text: "•", isInline: true };
    case "main":
    case "contentinfo":
    case "list":
    case "region":
    case "group":
    case "alert":
    case "form":
      return { text: `(${role.value}${words ? `: ${words}` : ""})` };
    default:
      return undefined;
  }
}
