/** What was seen, in words of both report languages. */

import type { Wording } from '../declarations.ts';
import { placeOf, type Region, type Size, wordRoughShare } from '../regions.ts';
import { type Affine, isMirrored, scaleOf, turnOf } from './affine.ts';

export interface Seen {
  readonly here: Region;
  readonly there: Region;
  readonly affine: Affine;
  readonly size: Size;
}

/** Degrees and factor from which on a motion is more than the error of its fit. */
const leastTurn = 3;
const leastScaling = 1.05;

/** Share of the picture from which on what is too smooth to be compared need not be spoken of. */
const comparedWhole = 0.9;

/** @param comparedShare - of the picture; a copy within the smooth rest cannot be seen. */
export function wordNone(comparedShare: number): Wording {
  if (comparedShare >= comparedWhole) {
    return {
      en: 'No two regions of the picture are so alike that one must be a copy of the other.',
      de: 'Keine zwei Bereiche des Bildes gleichen sich so, dass einer eine Kopie des anderen sein muss.',
    };
  }
  const { en, de } = wordRoughShare(comparedShare);
  return {
    en: `In the part of the picture with enough structure to be compared (${en}), no two regions are so alike that one must be a copy of the other; a copy in the rest would go unnoticed.`,
    de: `In dem Teil des Bildes, der für einen Vergleich genug Struktur hat (${de}), gleichen sich keine zwei Bereiche so, dass einer eine Kopie des anderen sein muss; eine Kopie im Rest bliebe unbemerkt.`,
  };
}

export function wordClear(seen: Seen): Wording {
  const { en, de } = wordRegions(seen);
  return {
    en: `${en} show the same pixels${wordMotion(seen.affine).en}; which of the two is the copy cannot be told from this.`,
    de: `${de} zeigen dieselben Bildpunkte${wordMotion(seen.affine).de}; welcher von beiden die Kopie ist, lässt sich daran nicht erkennen.`,
  };
}

export function wordUnclear(seen: Seen): Wording {
  const { en, de } = wordRegions(seen);
  return {
    en: `${en} look alike${wordMotion(seen.affine).en}, as copies do, and sometimes also things that repeat.`,
    de: `${de} gleichen sich${wordMotion(seen.affine).de}, wie bei Kopien, manchmal aber auch bei Dingen, die sich wiederholen.`,
  };
}

function wordRegions({ here, there, size }: Seen): Wording {
  const share = wordRoughShare((here.share + there.share) / 2);
  const [one, other] = [placeOf(here, size), placeOf(there, size)];
  if (one.en === other.en) {
    return {
      en: `Two regions of ${share.en} of the picture, both ${one.en},`,
      de: `Zwei Bereiche von ${share.de} des Bildes, beide ${one.de},`,
    };
  }
  return {
    en: `Two regions of ${share.en} of the picture, one ${one.en} and one ${other.en},`,
    de: `Zwei Bereiche von ${share.de} des Bildes, einer ${one.de} und einer ${other.de},`,
  };
}

/** ", one turned by 30 degrees and 1.2 times as large as the other", or nothing. */
function wordMotion(affine: Affine): Wording {
  const turn = Math.round(Math.abs(turnOf(affine)));
  const scale = scaleOf(affine);
  const factor = Math.max(scale, 1 / scale);
  const parts: Wording[] = [];
  if (isMirrored(affine)) parts.push({ en: 'mirrored', de: 'gespiegelt' });
  else if (turn >= leastTurn)
    parts.push({ en: `turned by ${turn} degrees`, de: `um ${turn} Grad gedreht` });
  if (factor >= leastScaling) {
    const times = factor.toFixed(1);
    parts.push({
      en: `${times} times as large as the other`,
      de: `${times.replace('.', ',')}-mal so groß wie der andere`,
    });
  }
  if (parts.length === 0) return { en: '', de: '' };
  const joined = (language: keyof Wording, and: string) =>
    parts.map((part) => part[language]).join(and);
  return { en: `, one ${joined('en', ' and ')}`, de: `, einer ${joined('de', ' und ')}` };
}
