/** The page size and text styles of a report. Points are 1/72 inch, from the upper left. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A4. Everything is drawn between 36 and 778 pt, so that it also prints unscaled on US Letter (792 pt high). */
export const sheet = {
  width: 595.28,
  height: 841.89,
  left: 56,
  right: 539.28,
  top: 67,
  bottom: 748,
  headerTop: 40,
  footerTop: 762,
} as const;

export const textWidth = sheet.right - sheet.left;

/** In points, a fifth of a page. A longer table may be split, because moving it would leave a large gap. */
export const maxWhole = 0.2 * (sheet.bottom - sheet.top);

export const ink = {
  text: '#1b1f2a',
  muted: '#5a6272',
  rule: '#d3d7de',
  panel: '#f2f3f6',
  accent: '#3d2a6b',
  range: '#e0803a',
} as const;

/** Font size and line spacing in points. */
export const styles = {
  title: { font: 'bold', size: 16, leading: 20, colour: ink.text },
  headline: { font: 'bold', size: 13.5, leading: 18, colour: ink.accent },
  section: { font: 'bold', size: 13, leading: 17, colour: ink.accent },
  heading: { font: 'bold', size: 9.4, leading: 13.1, colour: ink.accent },
  entry: { font: 'bold', size: 9.2, leading: 12.5, colour: ink.text },
  body: { font: 'regular', size: 9.2, leading: 12.5, colour: ink.text },
  cell: { font: 'regular', size: 8.5, leading: 11.3, colour: ink.text },
  label: { font: 'regular', size: 8.5, leading: 11.3, colour: ink.muted },
  tightCell: { font: 'regular', size: 8.1, leading: 10.2, colour: ink.text },
  tightLabel: { font: 'regular', size: 8.1, leading: 10.2, colour: ink.muted },
  denseCell: { font: 'regular', size: 7.6, leading: 9.6, colour: ink.text },
  denseLabel: { font: 'regular', size: 7.6, leading: 9.6, colour: ink.muted },
  mark: { font: 'bold', size: 7, leading: 9, colour: ink.accent },
  quietMark: { font: 'regular', size: 7, leading: 9, colour: ink.muted },
  head: { font: 'bold', size: 7.5, leading: 10.4, colour: ink.muted },
  small: { font: 'regular', size: 7.8, leading: 10.4, colour: ink.text },
  note: { font: 'regular', size: 7.5, leading: 10, colour: ink.muted },
} as const;
export type Style = (typeof styles)[keyof typeof styles];

/** The two fonts of a report, read once per process. */
interface Fonts {
  readonly regular: Buffer;
  readonly bold: Buffer;
}

let known: Fonts | undefined;

/**
 * DejaVu Sans Condensed, TrueType. Its licence (Bitstream Vera, with additions in the public domain) allows embedding
 * the fonts, or parts of them, in documents.
 */
export function openFonts(): Fonts {
  known ??= { regular: read('DejaVuSansCondensed'), bold: read('DejaVuSansCondensed-Bold') };
  return known;
}

function read(name: string): Buffer {
  const { resolve } = createRequire(import.meta.url);
  return withoutShaping(readFileSync(resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)));
}

/** Kerning, ligatures and mark positions. */
const shapingTables = new Set(['GSUB', 'GPOS', 'GDEF', 'kern']);

/**
 * The font with its shaping tables hidden, by renaming their tags in the table directory. Shaping took half the time of
 * a report, and its ligatures would join letters that must stay separate, such as ff and fi in a checksum or file name.
 *
 * @see ISO/IEC 14496-22, "Table directory": 12 bytes of header, then 16 per table, of which 4 are the tag.
 */
function withoutShaping(font: Buffer): Buffer {
  const hidden = Buffer.from(font);
  const tables = hidden.readUInt16BE(4);
  for (let table = 0; table < tables; table++) {
    const at = 12 + 16 * table;
    if (shapingTables.has(hidden.toString('latin1', at, at + 4)))
      hidden.write('----', at, 'latin1');
  }
  return hidden;
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
