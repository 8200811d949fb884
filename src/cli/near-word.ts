/** What somebody may have meant who wrote a word that we do not know. */

/** As many slips are taken for one word misspelt; more make another word. */
const maxSlips = 2;

/** The word that is closest to `word`, when only a slip or two part them; the first of several. */
export function nearWord(word: string, known: readonly string[]): string | undefined {
  const byDistance = known
    .map((each) => ({ each, slips: slipsBetween(word, each) }))
    .filter(({ each, slips }) => slips <= maxSlips && slips < each.length / 2)
    .toSorted((a, b) => a.slips - b.slips);
  return byDistance[0]?.each;
}

/**
 * Letters to insert, drop, change or swap with their neighbour (optimal string alignment).
 *
 * @see Damerau, "A technique for computer detection and correction of spelling errors" (1964).
 */
function slipsBetween(a: string, b: string): number {
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? before[j - 2]! + 1 : changed;
      row.push(Math.min(above[j]! + 1, row[j - 1]! + 1, changed, swapped));
    }
    [before, above] = [above, row];
  }
  return above[b.length]!;
}
