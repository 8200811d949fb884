/** One line at the end of a run of several pictures, for the person who started it. */

import type { Tally } from './tally.ts';

/** `5 pictures: 2 real, 1 fake, 2 failed; 3.2 s, 1.6 a second` */
export function summaryOf({ total, counts }: Tally, elapsedMs: number): string {
  const pictures = `${total} ${total === 1 ? 'picture' : 'pictures'}`;
  const told = Object.entries(counts).filter(([, count]) => count > 0);
  const ends = told.map(([word, count]) => `${count} ${word}`).join(', ');
  const rate = total > 1 ? `, ${rateOf(total, elapsedMs)}` : '';
  return `${pictures}${ends === '' ? '' : `: ${ends}`}; ${spanOf(elapsedMs)}${rate}`;
}

const rateUnits = [
  [1, 'a second'],
  [60, 'a minute'],
  [3600, 'an hour'],
] as const;

/** In the shortest unit that leaves a figure in front of nought. */
export function rateOf(done: number, elapsedMs: number): string {
  const aSecond = (done * 1000) / Math.max(elapsedMs, 1);
  const [seconds, words] = rateUnits.find(([each]) => aSecond * each >= 0.1) ?? rateUnits[2];
  return `${(aSecond * seconds).toFixed(1)} ${words}`;
}

function spanOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  return hours === 0 ? `${minutes} min ${seconds % 60} s` : `${hours} h ${minutes % 60} min`;
}
