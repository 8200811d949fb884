/** Foreign values made harmless: texts that show what they are, JSON that is not believed to have any shape. */

const maxTextLength = 200;

/** On one line, without control characters and without those that hide text or turn its direction; at most 200 characters. */
export function printable(text: string): string {
  // Cut before it is cleaned: a text may have a million characters.
  const cleaned = text
    .slice(0, 4 * maxTextLength)
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .trim();
  return Array.from(cleaned).slice(0, maxTextLength).join('').trim();
}

export type Members = Readonly<Record<string, unknown>>;

/** The members of a JSON object; none for anything else. */
export function membersOf(value: unknown): Members {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that says something, made printable; null for anything else. */
export function textIn(value: unknown): string | null {
  return typeof value === 'string' ? printable(value) || null : null;
}

/** The members of the JSON object that `text` is; null when it is none. */
export function parseObject(text: string): Members | null {
  if (!/^\s*\{/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return membersOf(value);
  } catch {
    // Not JSON, or nested too deep: a text like any other.
    return null;
  }
}
