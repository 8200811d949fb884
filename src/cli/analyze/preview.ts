/** A picture beside its heatmap on a terminal that can show them, and why not on one that cannot. */

import type { Preview } from '../../report/preview.ts';
import { printable } from '../printable.ts';
import { say } from '../talk.ts';
import { wrap } from '../wrap.ts';
import type { WantedPreview } from './examiner.ts';
import { type ColourDepth, halfBlockLines } from './half-blocks.ts';
import type { Input } from './inputs.ts';
import type { AnalyzeOptions } from './options.ts';

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
