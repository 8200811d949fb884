/** What every text of a report is written with. */

import type { Examination } from '../engine/result.ts';
import { type Evidence, writeEvidence } from './evidence.ts';
import type { ReportItem } from './item.ts';
import { createNumberWriter, type NumberWriter } from './numbers.ts';
import { choose, phrasesOf } from './phrase-book.ts';
import type { Phrases } from './phrases.ts';
import type { Language } from '../contract/vocabulary.ts';

export interface Writing {
  readonly examination: Examination;
  readonly evidence: Evidence;
  readonly item: ReportItem;
  readonly language: Language;
  readonly phrases: Phrases;
  readonly numbers: NumberWriter;
  /** One of the given sentences, by the seed of the examination. */
  readonly vary: <T>(variants: readonly T[], slot: string) => T;
}

export function openWriting(
  examination: Examination,
  item: ReportItem,
  language: Language,
): Writing {
  return {
    examination,
    evidence: writeEvidence(examination),
    item,
    language,
    phrases: phrasesOf(language),
    numbers: createNumberWriter(language),
    vary: (variants, slot) => choose(variants, examination.options.seed, slot),
  };
}

export function sentences(parts: readonly string[]): string {
  return parts.join(' ');
}
