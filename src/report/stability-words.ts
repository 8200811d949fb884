/** The stability test in words: what was done to the picture, and whether the verdict held. */

import type { Stability, StabilityChange } from '../engine/result.ts';
import { type Bilingual, inBoth } from './bilingual.ts';
import type { Language } from './language.ts';

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
    statement: inBoth((language) => summaries[language](holds, flips, trials.length)),
    trials: trials.map((trial) => ({ ...trial, label: changes[trial.change] })),
  };
}

const summaries: Readonly<
  Record<Language, (holds: boolean, flips: number, trials: number) => string>
> = {
  en(holds, flips, trials) {
    if (holds) return `The verdict held under all of the changes that were tried (${trials}).`;
    if (flips === 0) return 'The verdict did not hold under the changes that were tried.';
    return `The verdict did not hold: under ${flips} of ${trials} changes the values point to the other side.`;
  },
  de(holds, flips, trials) {
    if (holds) return `Das Ergebnis hielt allen erprobten Änderungen stand (${trials}).`;
    if (flips === 0) return 'Das Ergebnis hielt den erprobten Änderungen nicht stand.';
    return `Das Ergebnis hielt nicht stand: Bei ${flips} von ${trials} Änderungen weisen die Werte auf die andere Seite.`;
  },
};
