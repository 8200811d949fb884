/** What the methods that look for changed parts say together, in words. */

import { placeOf, type Size, wordShare } from '../detectors/places.ts';
import type { Decision, Manipulation } from '../engine/result.ts';
import { type Bilingual, inBoth } from './bilingual.ts';
import { createNumberWriter } from './numbers.ts';
import type { Language } from '../contract/vocabulary.ts';

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
    return marked(wordShare(region.share)[language], placeOf(region, size)[language], p);
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
