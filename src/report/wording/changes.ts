/** What the methods that look for changed parts say together, in words. */

import type { Bilingual, Language, StabilityChange } from '../../contract/vocabulary.ts';
import { areaOf, type Size } from '../../detectors/regions.ts';
import type { Decision, Manipulation, Stability } from '../../engine/result.ts';
import { createNumberWriter } from '../numbers.ts';
import { inBoth } from '../report-item.ts';
import { wordsIn } from './catalogue.ts';

export interface ChangeStatement extends Manipulation {
  readonly statement: Bilingual;
}

/** @param size - of the upright picture, in pixels. */
export function writeChange(manipulation: Manipulation, size: Size): ChangeStatement {
  const { region, probability } = manipulation;
  const statement = inBoth((language) => {
    const { marked, unmarked } = words[language];
    const p = createNumberWriter(language).score(probability);
    if (region === null) return unmarked(p);
    const { places, writeShare } = wordsIn(language).findings;
    const { place, share } = areaOf(region, size);
    return marked(writeShare(share), places[place], p);
  });
  return { ...manipulation, statement };
}

/** Whether the result names a part that was changed. */
export function namesChange({ resultSubClasses, basis }: Decision): boolean {
  return basis !== 'declaration' && resultSubClasses.some((kind) => kind !== 'ai-generated');
}

/** Whether signs of a change keep the picture from being called real. */
export function suspectsChange({ reasons }: Pick<Decision, 'reasons'>): boolean {
  return reasons.includes('manipulation_suspected');
}

interface Words {
  readonly marked: (share: string, place: string, p: string) => string;
  readonly unmarked: (p: string) => string;
}

const words: Readonly<Record<Language, Words>> = {
  en: {
    marked: (share, place, p) =>
      `The methods that look for changed parts mark a region of ${share} of the picture, ${place}; together they estimate the probability that a part was changed at ${p}.`,
    unmarked: (p) =>
      `The methods that look for changed parts together mark no region; they estimate the probability that a part was changed at ${p}.`,
  },
  de: {
    marked: (share, place, p) =>
      `Die Methoden, die nach veränderten Stellen suchen, markieren einen Bereich von ${share} des Bildes, ${place}; die Wahrscheinlichkeit, dass ein Teil verändert wurde, schätzen sie zusammen auf ${p}.`,
    unmarked: (p) =>
      `Die Methoden, die nach veränderten Stellen suchen, markieren zusammen keinen Bereich; die Wahrscheinlichkeit, dass ein Teil verändert wurde, schätzen sie auf ${p}.`,
  },
};

// The stability test in words: what was done to the picture, and on which side the values stayed.

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
