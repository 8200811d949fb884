/** A picture beside its heatmap on a terminal that can show them, and why not on one that cannot. */

import type { Preview } from '../../report/preview.ts';
import { printable, say } from '../output/print.ts';
import { wrap } from '../output/table.ts';
import type { Input } from './inputs.ts';
import type { AnalyzeOptions } from './options.ts';
import type { WantedPreview } from './run.ts';

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly depth: ColourDepth;
}

/** What a preview needs to know of standard output. */
interface Stream extends Omit<Screen, 'depth'> {
  readonly isTTY: boolean;
  getColorDepth(env: object): number;
}

const indent = '  ';
const gap = '  ';
const leastColumns = 24;
/** Wider or higher, it would only push the words off the screen. */
const largest = { width: 64, height: 64 };
/** Of the card below it, so that the verdict is seen with it. */
const linesBelow = 8;

/** The screen of standard output, or the sentence that says why it shows no pictures. */
export function screenOf(stream: Stream, env: NodeJS.ProcessEnv): Screen | string {
  if (!stream.isTTY) return 'standard output is not a terminal.';
  const bits = stream.getColorDepth(env);
  if (bits < 8)
    return 'it needs 256 colours, and TERM, COLORTERM or NO_COLOR say that there are fewer.';
  if (!canShowBlocks(env)) return 'it needs UTF-8, and LC_ALL, LC_CTYPE or LANG name another.';
  const { columns, rows } = stream;
  if (!(columns >= leastColumns)) return `the terminal has fewer than ${leastColumns} columns.`;
  return { columns, rows: rows > 0 ? rows : 24, depth: bits >= 24 ? 24 : 8 };
}

/** No locale, or that of the C language, tells nothing of what the terminal shows. */
function canShowBlocks(env: NodeJS.ProcessEnv): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'C';
  return /^(?:C|POSIX)$|utf-?8/i.test(locale);
}

/** Pixels that each of the two may take. */
export function boxOf({ columns, rows }: Screen) {
  const across = Math.floor((columns - indent.length - gap.length) / 2);
  return {
    width: Math.min(across, largest.width),
    height: Math.min(Math.max(16, 2 * (rows - linesBelow)), largest.height),
  };
}

export function previewText(file: string, preview: Preview, { columns, depth }: Screen): string {
  const { width, height } = preview;
  const left = halfBlockLines({ width, height, rgb: preview.picture }, depth);
  const right = halfBlockLines({ width, height, rgb: preview.heatmap }, depth);
  const pictures = left.map((line, n) => `${indent}${line}${gap}${right[n]!}`);
  const told = `${printable(file)}: the picture, and how strongly each place speaks for fake (dark: not, bright: strongly)`;
  const caption = wrap(told, columns - indent.length, '').map((line) => indent + line);
  return `${[...pictures, ...caption].join('\n')}\n\n`;
}

export interface Previews extends WantedPreview {
  /** What was taken of `input`, drawn; once. Empty where there is none: a picture that failed. */
  textOf(input: Input): string;
}

/** Null where none is wanted, or where the terminal shows none: then one line says why. */
export function openPreviews({
  preview: isWanted,
}: Pick<AnalyzeOptions, 'preview'>): Previews | null {
  if (!isWanted) return null;
  const screen = screenOf(process.stdout, process.env);
  if (typeof screen === 'string') {
    say(`No preview: ${screen}`);
    return null;
  }
  const taken = new Map<Input, Preview>();
  return {
    box: boxOf(screen),
    take: (input, preview) => void taken.set(input, preview),
    textOf: (input) => {
      const preview = taken.get(input);
      taken.delete(input);
      return preview === undefined ? '' : previewText(input.label, preview, screen);
    },
  };
}

// Pixels as text: a half block holds two of them, one above the other, in the two colours that a cell may have.

export interface Raster {
  readonly width: number;
  readonly height: number;
  /** Row-major, 3 bytes a pixel. */
  readonly rgb: Uint8Array;
}

/** Bits of colour that the terminal shows. */
export type ColourDepth = 8 | 24;

const reset = '\u001b[0m';

/** A line for every two rows of pixels, each with `width` cells. */
export function halfBlockLines({ width, height, rgb }: Raster, depth: ColourDepth): string[] {
  const colourAt = (x: number, y: number) => {
    const at = 3 * (y * width + x);
    return codeOf([rgb[at]!, rgb[at + 1]!, rgb[at + 2]!], depth);
  };
  const lines: string[] = [];
  for (let y = 0; y < height; y += 2) {
    let line = '';
    let before = '';
    for (let x = 0; x < width; x++) {
      const lower = y + 1 < height ? `48;${colourAt(x, y + 1)}` : '49';
      const colours = `38;${colourAt(x, y)};${lower}`;
      // Said only where it changes: flat areas would otherwise be mostly colour codes.
      line += colours === before ? '▀' : `\u001b[${colours}m▀`;
      before = colours;
    }
    lines.push(line + reset);
  }
  return lines;
}

type Rgb = readonly [number, number, number];

/** As SGR 38 and 48 take it (ITU-T T.416, and xterm's table of 256 colours). */
function codeOf(rgb: Rgb, depth: ColourDepth): string {
  return depth === 24 ? `2;${rgb.join(';')}` : `5;${nearestOf256(rgb)}`;
}

/** Levels of the colour cube of 6 x 6 x 6, entries 16 to 231; 24 greys follow, 8 to 238 in tens. */
const levels = [0, 95, 135, 175, 215, 255];

/** The entry of xterm's table that lies nearest; the first 16 are left out, because everybody may choose those. */
export function nearestOf256(rgb: Rgb): number {
  const [r, g, b] = [nearestLevel(rgb[0]), nearestLevel(rgb[1]), nearestLevel(rgb[2])];
  const cube: Rgb = [levels[r]!, levels[g]!, levels[b]!];
  const mean = (rgb[0] + rgb[1] + rgb[2]) / 3;
  const step = Math.max(0, Math.min(23, Math.round((mean - 8) / 10)));
  const level = 8 + 10 * step;
  const isGrey = distance(rgb, [level, level, level]) < distance(rgb, cube);
  return isGrey ? 232 + step : 16 + 36 * r + 6 * g + b;
}

function nearestLevel(value: number): number {
  let nearest = 0;
  for (let i = 1; i < levels.length; i++) {
    if (Math.abs(levels[i]! - value) < Math.abs(levels[nearest]! - value)) nearest = i;
  }
  return nearest;
}

function distance(a: Rgb, b: Rgb): number {
  return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;
}
