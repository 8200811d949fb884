/** `90d`, `12h`, `30m` as the command line takes them. */

import { InvalidArgumentError } from 'commander';

const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
// Ten years: more is a slip of the finger, and a date beyond the year 9999 cannot be written any more.
export const longestMs = 3650 * 86_400_000;

/** @returns milliseconds, above 0. */
export function parseDuration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,7})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit] ?? 0);
  if (ms > 0 && ms <= longestMs) return ms;
  throw new InvalidArgumentError('Write a number and m, h or d, at most 3650d: 30m, 12h, 90d.');
}
