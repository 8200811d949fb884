/**
 * Parts of a picture that occur in it twice, also turned, scaled or mirrored. Whoever hides something often covers it
 * with what lies beside; whoever wants more of something pastes it again. Which of two like places is the copy cannot be
 * seen, so the map shows both.
 */

import { turnOf } from './copy-move/affine.ts';
import { type Look, lookForCopies, type Pair } from './copy-move/look.ts';
import { evenMap, type Marks, markPair, mergeMaps } from './copy-move/mark.ts';
import { type Seen, wordClear, wordNone, wordUnclear } from './copy-move/statement.ts';
import { likelyOf, noneScore, weightOf } from './copy-move/weigh.ts';
import type { Detector, Sighting, Skipped } from './finding.ts';
import { largestRegion, measuresOf, type Size } from './places.ts';
import type { Weight } from './strength.ts';

/** Pixels; in less there is no room for two places and what lies between. */
const leastSidePx = 64;
/** Share of the picture; smoother ones offer too little to compare. */
const leastCompared = 0.02;
/** Probability from which a pair is marked: above one half, which says nothing. */
const shownFrom = 0.51;

/** Value of every place where nothing was found: a copy may lie where it cannot be seen. */
const unsaid = 0.5;

export const copyMove: Detector<Sighting | Skipped> = {
  method: 'copy-move',
  examine: ({ picture }) => {
    const { width, height } = picture.facts;
    if (Math.min(width, height) < leastSidePx) return { method: copyMove.method, reason: tooSmall };
    const look = lookForCopies(picture);
    if (look.comparedShare < leastCompared) return { method: copyMove.method, reason: tooSmooth };
    return toSighting(look, { width, height });
  },
};

function toSighting(look: Look, size: Size): Sighting {
  const likely = likelyOf(look.pairs);
  const score = Math.max(noneScore, likely[0]?.probability ?? 0);
  const marked = likely
    .filter(({ probability }) => probability > shownFrom)
    .map(({ pair, probability }) => ({ pair, marks: markPair({ look, pair, size, probability }) }));
  const maps = marked.flatMap(({ marks }) => [marks.here, marks.there]);
  const weight = weightOf(score);
  const best = marked[0];
  const seen = best && seenOf(best.pair, best.marks, size);
  return {
    finding: {
      method: copyMove.method,
      ...weight,
      statement: statementOf(seen ?? null, weight, look.comparedShare),
      measures: {
        ...(best && seen && measuresOfPair(best.pair, seen)),
        likelyPairs: marked.length,
        comparedShare: look.comparedShare,
        readScale: 1 / look.working.scale,
      },
      source:
        'Cozzolino, Poggi and Verdoliva, "Efficient dense-field copy-move forgery detection", IEEE Transactions on Information Forensics and Security 10 (2015), with other descriptors; the weights are fitted for this program.',
    },
    map: mergeMaps(maps, evenMap(look, size, marked.length > 0 ? 1 - score : unsaid)),
  };
}

function seenOf({ region }: Pair, { here, there }: Marks, size: Size): Seen {
  const [one, other] = [here, there].map((map) => largestRegion(map, shownFrom, size));
  // A pair is inside the picture with both its places, so each map holds a region.
  if (!one || !other) throw new RangeError('A pair of places lies outside its picture.');
  return { here: one, there: other, affine: region.affine, size };
}

/** Things that repeat by nature reach a weak finding often enough for the words to leave room for them. */
function statementOf(seen: Seen | null, { strength }: Weight, comparedShare: number) {
  if (seen === null || strength === 'none') return wordNone(comparedShare);
  return strength === 'weak' ? wordUnclear(seen) : wordClear(seen);
}

/** Pixels of the picture. The offset leads from the middle of the first place to that of the other. */
function measuresOfPair({ likeness }: Pair, { here, there, affine }: Seen) {
  return {
    ...measuresOf(here),
    otherLeft: there.left,
    otherTop: there.top,
    offsetX: there.left + there.width / 2 - here.left - here.width / 2,
    offsetY: there.top + there.height / 2 - here.top - here.height / 2,
    turnDegrees: turnOf(affine),
    scale: likeness.scale,
    isMirrored: likeness.isMirrored ? 1 : 0,
    correlation: likeness.middle,
    grainCorrelation: likeness.fine,
    mutualShare: likeness.mutual,
    onwardCorrelation: likeness.onward,
    shear: likeness.shear,
  };
}

const tooSmall = {
  en: 'The picture is too small to look for parts that occur in it twice.',
  de: 'Das Bild ist zu klein, um nach doppelt vorkommenden Teilen zu suchen.',
};

const tooSmooth = {
  en: 'The picture is too smooth to tell a copied part from any other.',
  de: 'Das Bild ist zu gleichmäßig, um einen kopierten Teil von anderen zu unterscheiden.',
};
