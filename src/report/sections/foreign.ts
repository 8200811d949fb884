/** How a report shows what the file itself says. */

import { type Block, note, type Row, row } from '../blocks.ts';
import type { Labels } from '../labels.ts';
import { printable } from '../printable.ts';

/** Characters of one foreign value that a table shows; the file itself holds the rest. */
export const valueLimit = 160;

/** A row for what the file itself says, left out where it says nothing. */
export function foreignRow(
  label: string,
  value: string | null,
  limit = valueLimit,
): readonly Row[] {
  return row(value !== null && value !== '', label, printable(value ?? '', limit));
}

/** Explains the escapes of `printable` below blocks that hold one, and nowhere else. */
export function withEscapes(blocks: readonly Block[], { escapes }: Labels): readonly Block[] {
  return JSON.stringify(blocks).includes('⟨') ? [...blocks, note(escapes)] : blocks;
}
