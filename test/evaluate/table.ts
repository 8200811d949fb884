/** Tables and numbers for a terminal. */

import Table from 'cli-table3';
import type { Estimate } from './intervals.ts';

export function table(head: readonly string[], rows: readonly string[][]): string {
  const drawn = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
  drawn.push(...rows);
  return drawn.toString();
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** `2.5 % (0.4-6.1)`; empty without pictures. */
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
