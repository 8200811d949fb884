/**
 * The little XML that clients send: elements and text. Document types, and with them entities of one's own, are refused;
 * attributes, comments and processing instructions mean nothing here.
 */

import { Refusal } from '../refusal.ts';

/** An element: its name without prefix, the text right inside it, and the elements inside it. */
export interface Parsed {
  readonly name: string;
  readonly text: string;
  readonly children: readonly Parsed[];
}

interface Open {
  readonly name: string;
  text: string;
  readonly children: Parsed[];
}

const maxDepth = 8;
const token =
  /<\?[^<>]*\?>|<!--[^<>]*-->|<(?<end>\/?)(?:[\w.-]+:)?(?<name>[\w.-]+)(?:\s[^<>]*?)?(?<empty>\/?)>|(?<text>[^<]+)/y;
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** @throws {Refusal} `MalformedXML`. */
export function parseXml(bytes: Uint8Array): Parsed {
  const text = decode(bytes);
  const document: Open = { name: '', text: '', children: [] };
  const open = [document];
  token.lastIndex = 0;
  for (let at = 0; at < text.length; at = token.lastIndex) {
    const found = token.exec(text)?.groups;
    if (found === undefined) throw malformed();
    take(found, open);
  }
  const [root, ...more] = document.children;
  const isWhole = open.length === 1 && more.length === 0 && document.text.trim() === '';
  if (root === undefined || !isWhole) throw malformed();
  return root;
}

/** @param open - The elements that have begun and not ended, the innermost last. */
function take(found: Readonly<Record<string, string | undefined>>, open: Open[]): void {
  const inner = open.at(-1)!;
  const { name, text } = found;
  if (text !== undefined) inner.text += resolveEntities(text);
  if (name === undefined) return;
  if (found['end'] === '/') {
    if (open.length === 1 || inner.name !== name) throw malformed();
    open.pop();
    return;
  }
  const element: Open = { name, text: '', children: [] };
  inner.children.push(element);
  if (found['empty'] !== '/') open.push(element);
  if (open.length > maxDepth) throw malformed();
}

/** Text of the only child of this name; null when there is none. @throws {Refusal} `MalformedXML` for several. */
export function childText({ children }: Parsed, name: string): string | null {
  const [child, ...more] = children.filter((other) => other.name === name);
  if (more.length > 0) throw malformed();
  return child?.text ?? null;
}

function resolveEntities(text: string): string {
  return text.replace(/&([^;]*;?)/g, (_all, reference: string) => {
    const name = reference.slice(0, -1);
    const resolved = entities[name] ?? characterOf(name);
    if (!reference.endsWith(';') || resolved === null) throw malformed();
    return resolved;
  });
}

function characterOf(name: string): string | null {
  const parts = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name);
  if (parts === null) return null;
  const code = parts[1] === undefined ? Number(parts[2]) : Number.parseInt(parts[1], 16);
  return code > 0x10ffff ? null : String.fromCodePoint(code);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed();
  }
}

function malformed(): Refusal {
  return new Refusal('MalformedXML');
}
