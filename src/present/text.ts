/** Foreign text made safe to print, line breaks, small helpers for our own sentences, and phrases in both languages. */

import type { Language } from '../contract/vocabulary.ts';

/** Drawn in full by DejaVu Sans. Not right-to-left scripts, because the page would not show the order of characters. */
const drawn =
  /^[\u{20}-\u{7e}\u{a1}-\u{ac}\u{ae}-\u{24f}\u{1e00}-\u{1efb}\u{2010}-\u{2015}\u{2018}-\u{2022}\u{2026}\u{2030}\u{20ac}\u{2122}\u{2190}-\u{2193}\u{2212}]$/u;
const drawnLetter = /^[\u{370}-\u{525}]$/u;
const accent = /^[\u{300}-\u{34f}]$/u;

/** No sentence of our own is as long, so only text from the file is ever shortened. */
const defaultLimit = 1200;

/**
 * Foreign text (file names, camera models, versions) on one line and unambiguous: characters that are invisible,
 * reorder their neighbours or are missing from the embedded font are written out as ⟨U+202E⟩. Composed (NFC) where
 * possible, so that a name from macOS reads like any other. Bytes that are not UTF-8 stay as `byte-names` shows them.
 *
 * @param limit - maximum number of characters; the middle of a longer text becomes `⟨… 1234 …⟩`, the number left out.
 */
export function printable(text: string, limit = defaultLimit): string {
  const characters = shorten(text.normalize('NFC').match(/⟨0x[89A-F][\dA-F]⟩|./gsu) ?? [], limit);
  let isAfterAccent = false;
  return characters
    .map((character) => {
      if (character.length > 2) return character;
      const isAccent = accent.test(character);
      // Stacked accents on one letter could cover the lines above and below.
      const isFine = isAccent
        ? !isAfterAccent
        : drawn.test(character) || (drawnLetter.test(character) && /\p{L}/u.test(character));
      isAfterAccent = isAccent;
      return isFine ? character : codePoint(character);
    })
    .join('');
}

/** Foreign text with control and bidirectional characters escaped, for a reader whose font draws everything else. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, codePoint);
}

function codePoint(character: string): string {
  const code = character.codePointAt(0)!.toString(16).toUpperCase();
  return `⟨U+${code.padStart(4, '0')}⟩`;
}

function shorten(characters: readonly string[], limit: number): readonly string[] {
  if (characters.length <= limit) return characters;
  const tail = Math.floor(limit / 4);
  const head = limit - tail;
  const leftOut = `⟨… ${characters.length - limit} …⟩`;
  return [...characters.slice(0, head), leftOut, ...characters.slice(-tail)];
}

/** Keeps a per cent sign on the same line as its number. */
const breaks = / (?!%)/;

/**
 * Breaks at spaces. A word wider than the line (a checksum, a long file name) is broken where the line is full; a URL
 * is broken after a slash if that leaves the line more than half full. A line that ends at a space keeps the space, so
 * that joining the lines restores the original text for search and for screen readers. The caller measures all widths,
 * so the same rules work with any font.
 *
 * @param width - of a line without its trailing space, in the unit of `measure`; at least one character always fits.
 */
export function breakLines(
  text: string,
  width: number,
  measure: (part: string) => number,
): readonly string[] {
  const lines: string[] = [];
  const space = measure(' ');
  let line = '';
  let used = 0;
  for (const [at, word] of text.split(breaks).entries()) {
    for (const [part, piece] of breakWord(word, width, measure).entries()) {
      const joint = at > 0 && part === 0 ? ' ' : '';
      const needed = measure(piece);
      const whole = used + (joint === '' ? 0 : space) + needed;
      const isFull = line !== '' && whole > width;
      if (isFull) lines.push(line + joint);
      line = isFull ? piece : line + joint + piece;
      used = isFull ? needed : whole;
    }
  }
  return [...lines, line];
}

/** The word as a whole if it fits, otherwise the pieces that do, split between characters rather than code units. */
function breakWord(word: string, width: number, measure: (part: string) => number) {
  if (measure(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of word) {
    const needed = measure(character);
    if (piece !== '' && used + needed > width) {
      const slash = piece.lastIndexOf('/') + 1;
      const end = slash > piece.length / 2 ? slash : piece.length;
      pieces.push(piece.slice(0, end));
      piece = piece.slice(end);
      used = measure(piece);
    }
    piece += character;
    used += needed;
  }
  return [...pieces, piece];
}

/** The texts without empty ones and without those whose condition is false. */
export function kept(texts: readonly (string | false | null | undefined)[]): readonly string[] {
  return texts.flatMap((text) => text || []);
}

/** `NAME (detail, detail)`, or the name alone without any. */
export function withDetails(name: string, details: Parameters<typeof kept>[0]): string {
  const told = kept(details).join(', ');
  return told === '' ? name : `${name} (${told})`;
}

/** Our own name for `key`; `otherwise` if there is none. */
export function nameIn(names: Readonly<Record<string, string>>, key: string, otherwise: string) {
  return Object.hasOwn(names, key) ? names[key]! : otherwise;
}

/** Capitalises words written for the middle of a sentence, so that they can begin one; in German also after a colon. */
export function capitalised(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export type Phrase<T> = readonly [en: T, de: T];

export function say<T>(en: T, de: NoInfer<T>): Phrase<T> {
  return [en, de];
}

/** The text with the values of its gaps, such as `{name}`. */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (gap, name: string) => String(values[name] ?? gap));
}

type Gaps<T extends string> = T extends `${string}{${string}}${infer Rest}`
  ? [string | number, ...Gaps<Rest>]
  : [];

/** A phrase with gaps, whose values are given in the order of the English text. */
export function fill<const T extends string>(en: T, de: string) {
  const names = [...en.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const filling =
    (text: string) =>
    (...values: Gaps<T>) =>
      fillIn(text, Object.fromEntries(names.map((name, at) => [name, values[at]!])));
  return say(filling(en), filling(de));
}

export type Spoken<T> = T extends Phrase<infer P> ? P : { readonly [K in keyof T]: Spoken<T[K]> };

/** The same tree with one language in place of each phrase. */
export function speak<T extends object>(phrases: T, language: Language): Spoken<T> {
  const entries = Object.entries(phrases).map(([key, value]) => [
    key,
    Array.isArray(value) ? value[language === 'en' ? 0 : 1] : speak(value, language),
  ]);
  return Object.fromEntries(entries);
}
