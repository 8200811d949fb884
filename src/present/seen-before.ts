/** Lists other pictures that show the same thing as this one, one per line. */

import type { SeenBefore } from '../contract/seen-before.ts';
import type { Language } from '../contract/vocabulary.ts';
import { createNumberWriter } from './numbers.ts';
import { kept, printable } from './printable.ts';
import { wordsIn } from './wording/catalogue.ts';

const maxLines = 3;

/** One line per picture, `NAME, 2026-03-02, case 4711`, oldest first, and finally how many more there are. */
export function writeSeenBefore(
  seenBefore: readonly SeenBefore[],
  language: Language,
): readonly string[] {
  const { seen } = wordsIn(language).terminal;
  const lines = seenBefore
    .slice(0, maxLines)
    .map((other) => printable(`${other.name}, ${writeFacts(other, language)}`));
  const more = seenBefore.length - lines.length;
  return more > 0 ? [...lines, seen.more(more)] : lines;
}

/** `2026-03-02, case 4711, mirrored` (German: `02.03.2026, ...`) or, if the two files show different things, what they have in common. */
export function writeFacts(
  { createdDate, projectId, alignment, reasons }: Omit<SeenBefore, 'name'>,
  language: Language,
): string {
  const { seen } = wordsIn(language).terminal;
  return kept([
    createNumberWriter(language).stated(createdDate.slice(0, 10)),
    projectId !== null && seen.inCase(projectId),
    alignment?.isMirrored && seen.mirrored,
    alignment === null && seen.another,
    ...reasons.map((reason) => reason !== 'picture' && seen.reasons[reason]),
  ]).join(', ');
}
