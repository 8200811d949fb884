/** The stability test in words: what was done to the picture, and on which side the values stayed. */

import type { Stability } from '../engine/result.ts';
import { type Bilingual, inBoth } from './bilingual.ts';
import type { Language, StabilityChange } from '../contract/vocabulary.ts';

export interface StabilityEvidence {
  readonly holds: boolean;
  readonly statement: Bilingual;
  readonly trials: readonly (Stability['trials'][number] & { readonly label: Bilingual })[];
}

const changes: Readonly<Record<StabilityChange, Bilingual>> = {
  'jpeg-90': { en: 'saved as JPEG, quality 90', de: 'als JPEG der Qualität 90 gespeichert' },
  'jpeg-70': { en: 'saved as JPEG, quality 70', de: 'als JPEG der Qualität 70 gespeichert' },
  'scale-75': { en: 'scaled to 75 %', de: 'auf 75 % verkleinert' },
  'scale-50': { en: 'scaled to 50 %', de: 'auf 50 % verkleinert' },
  'crop-5': { en: 'cropped by 5 %', de: 'um 5 % beschnitten' },
};

export function writeStability({ holds, trials }: Stability): StabilityEvidence {
  const flips = trials.filter(({ isFlip }) => isFlip).length;
  return {
    holds,
    statement: inBoth((language) => summaries[language](flips, trials.length)),
    trials: trials.map((trial) => ({ ...trial, label: changes[trial.change] })),
  };
}

/** A value just beyond the middle is doubt and no contradiction: it does not count as a flip. */
const summaries: Readonly<Record<Language, (flips: number, trials: number) => string>> = {
  en: (flips, trials) =>
    `The values point clearly to the other side under ${flips === 0 ? 'none' : flips} of the ${trials} changes that were tried.`,
  de: (flips, trials) =>
    `Bei ${flips === 0 ? 'keiner' : flips} der ${trials} erprobten Änderungen weisen die Werte deutlich auf die andere Seite.`,
};
