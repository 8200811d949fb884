/** The output of a run, paragraphs and tables, for a terminal or for a model card. */

import Drawn from 'cli-table3';
import type { Estimate } from './intervals.ts';

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A paragraph or a table. */
export type Block = string | Table;

export function table(head: Table['head'], rows: Table['rows']): Table {
  return { head, rows };
}

export function toTerminal(blocks: readonly Block[]): string {
  return blocks.map((block) => (typeof block === 'string' ? block : drawn(block))).join('\n');
}

function drawn({ head, rows }: Table): string {
  const box = new Drawn({ head: [...head], style: { head: [], border: [], compact: true } });
  box.push(...rows.map((cells) => [...cells]));
  return box.toString();
}

export function toMarkdown(blocks: readonly Block[]): string {
  return blocks.map((block) => (typeof block === 'string' ? block : marked(block))).join('\n\n');
}

function marked({ head, rows }: Table): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

/** `2.5% (0.4-6.1)`; empty without pictures. */
export function percentWithin({ value, low, high }: Estimate): string {
  if (Number.isNaN(value)) return '';
  return `${percent(value)} (${[low, high].map((share) => (100 * share).toFixed(1)).join('-')})`;
}

/** `0.863 (0.773-0.946)`, `-0.12 (-0.31 to 0.05)`; empty without pictures. */
export function numberWithin({ value, low, high }: Estimate, digits = 3): string {
  if (Number.isNaN(value)) return '';
  const bounds = [low, high].map((bound) => bound.toFixed(digits));
  return `${value.toFixed(digits)} (${bounds.join(low < 0 ? ' to ' : '-')})`;
}
