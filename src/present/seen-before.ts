/** Lists other pictures that show the same thing as this one, or come from the same source, one per line. */

import type { SeenBefore } from '../contract/seen-before.ts';
import type { Language } from '../contract/vocabulary.ts';
import { kept, printable } from './text.ts';
import { createNumberWriter, wordsIn } from './wording/catalogue.ts';

const maxLines = 3;

/** Whether the other shows the same picture; if not, only their files have something in common. */
export function isCopy({ reasons }: Pick<SeenBefore, 'reasons'>): boolean {
  return reasons.includes('picture');
}

/** Copies and mere links apart: one line per picture, as in `writeOther`, and finally how many more there are. */
export function writeSeenBefore(seenBefore: readonly SeenBefore[], language: Language) {
  const { seen } = wordsIn(language).terminal;
  const { copies = [], links = [] } = Object.groupBy(seenBefore, (other) =>
    isCopy(other) ? 'copies' : 'links',
  );
  const toLines = (all: readonly SeenBefore[]) => {
    const lines = all.slice(0, maxLines).map((other) => writeOther(other, language));
    return all.length > maxLines ? [...lines, seen.more(all.length - maxLines)] : lines;
  };
  return [
    { label: seen.label, lines: toLines(copies) },
    { label: seen.linked, lines: toLines(links) },
  ].filter(({ lines }) => lines.length > 0);
}

/** `NAME, 2026-03-02, case 4711, mirrored` or, if it is no copy, `same camera body as NAME, 2026-03-02, case 4711`. */
export function writeOther(other: SeenBefore, language: Language): string {
  const named = kept([writeLink(other, language), other.name]).join(' ');
  return printable(`${named}, ${writeFacts(other, language)}`);
}

/** What the files of two different pictures have in common, followed by `as`; empty for a copy. */
export function writeLink(other: SeenBefore, language: Language): string {
  return isCopy(other) ? '' : wordsIn(language).terminal.seen.as(writeShared(other, language));
}

/** `2026-03-02, case 4711` (German: `02.03.2026, ...`), and for a copy, whether it is mirrored and what else the files have in common. */
export function writeFacts(other: SeenBefore, language: Language): string {
  const { createdDate, projectId, alignment } = other;
  const { seen } = wordsIn(language).terminal;
  return kept([
    createNumberWriter(language).stated(createdDate.slice(0, 10)),
    projectId !== null && seen.inCase(projectId),
    alignment?.isMirrored && seen.mirrored,
    isCopy(other) && writeShared(other, language),
  ]).join(', ');
}

function writeShared({ reasons }: SeenBefore, language: Language): string {
  const { seen } = wordsIn(language).terminal;
  return kept(reasons.map((reason) => reason !== 'picture' && seen.reasons[reason])).join(', ');
}
