/** Other pictures that show the same as one, in lines. */

import type { SeenBefore } from '../contract/seen-before.ts';
import type { Language } from '../contract/vocabulary.ts';
import { printable } from './printable.ts';
import { wordsIn } from './wording/catalogue.ts';

const mostLines = 3;

/** `NAME, 2026-03-02, case 4711`, the oldest first, and how many more there are. */
export function writeSeenBefore(
  seenBefore: readonly SeenBefore[],
  language: Language,
): readonly string[] {
  const { seen } = wordsIn(language).terminal;
  const lines = seenBefore.slice(0, mostLines).map(({ name, createdDate, projectId, alignment }) =>
    printable(
      seen.line({
        name,
        day: createdDate.slice(0, 10),
        projectId,
        isMirrored: alignment.isMirrored,
      }),
    ),
  );
  const more = seenBefore.length - lines.length;
  return more > 0 ? [...lines, seen.more(more)] : lines;
}
