/** Values from the file itself, and the note that explains how unprintable characters in them are written. */

import { printable } from '../printable.ts';
import type { Words } from '../wording/catalogue.ts';
import { type Block, note, type Row, row } from './blocks.ts';

/** Characters of one foreign value that a table shows; the file itself holds the rest. */
export const valueLimit = 160;

/** A row for a value from the file itself; no row where the file has none. */
export function foreignRow(
  label: string,
  value: string | null,
  limit = valueLimit,
): readonly Row[] {
  return row(value !== null && value !== '', label, printable(value ?? '', limit));
}

/** Explains the escapes of `printable` below blocks that hold one, and nowhere else. */
export function withEscapes(
  blocks: readonly Block[],
  { escapes }: Words['labels'],
): readonly Block[] {
  return JSON.stringify(blocks).includes('⟨') ? [...blocks, note(escapes)] : blocks;
}
