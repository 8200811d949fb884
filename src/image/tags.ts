/** Foreign tags made harmless: bounded, printable, and without positions. */

/** Tags by name; numbers stay numbers, everything else is text. */
export type Tags = Readonly<Record<string, string | number>>;

const maxTags = 200;
const maxNameLength = 100;
const maxTextLength = 2000;

/**
 * At most 200 tags with names of at most 100 and texts of at most 2,000 characters, positions left out.
 * What was cut is told in `warnings`.
 */
export function keepTags(
  group: string,
  tags: ReadonlyMap<string, unknown>,
  warnings: string[],
): Tags {
  const kept: [string, string | number][] = [];
  let isCut = false;
  for (const [name, raw] of tags) {
    const value = toPlain(raw);
    if (value === null || isPosition(name, value) || isOfReceiver(name)) continue;
    if (kept.length === maxTags) {
      warnings.push(`${group}: only the first ${maxTags} entries were kept.`);
      break;
    }
    isCut ||= typeof value === 'string' && value.length > maxTextLength;
    kept.push([
      cleanText(name, maxNameLength),
      typeof value === 'string' ? cleanText(value) : value,
    ]);
  }
  if (isCut) warnings.push(`${group}: long texts were cut to ${maxTextLength} characters.`);
  // fromEntries defines its properties, so a tag called __proto__ is a tag like any other.
  return Object.fromEntries(kept);
}

/** True when the tag, or a structure inside its text, tells where the picture was taken. */
export function isPosition(name: string, value: unknown): boolean {
  if (/latitude|longitude|GPS ?(?:position|coordinates)/i.test(name)) return true;
  return typeof value === 'string' && /GPS ?(?:latitude|longitude|position)/i.test(value);
}

/** Times, directions and speeds of a receiver narrow a place down as well. */
function isOfReceiver(name: string): boolean {
  return /GPS/i.test(name);
}

/** Control characters but line breaks and tabs become spaces, halves of surrogate pairs the replacement character. */
export function cleanText(text: string, maxLength = maxTextLength): string {
  return text
    .slice(0, maxLength)
    .replaceAll(/\p{Surrogate}/gu, '\u{fffd}')
    .replaceAll(/[^\P{Cc}\n\t]+/gu, ' ')
    .trim();
}

/** A number, a non-empty text, or null for what is neither. Numbers written as text stay text. */
function toPlain(value: unknown): string | number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
