/** The words of `catalogue.ts` with those that only reports need, which the console therefore does not load. */

import type { Language } from '../../contract/vocabulary.ts';
import { type Words, wordsIn } from './catalogue.ts';
import { measurements as measurementsDe } from './de/measurements.ts';
import { measurements as measurementsEn } from './en/measurements.ts';

export interface ReportWords extends Words {
  readonly measurements: typeof measurementsEn;
}

export function reportWordsIn(language: Language): ReportWords {
  const measurements = language === 'de' ? measurementsDe : measurementsEn;
  return { ...wordsIn(language), measurements };
}
