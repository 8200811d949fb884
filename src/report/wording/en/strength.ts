/** Follows "speaks" and comes before "for": the verbal scale. */
const adverbs = {
  weak: 'weakly',
  moderate: 'moderately',
  moderatelyStrong: 'moderately strongly',
  strong: 'strongly',
  veryStrong: 'very strongly',
};

/** What is spoken for. */
const sides = {
  real: 'a genuine photograph',
  fake: 'a generated or altered picture',
};

/** How strongly an examination speaks for its class, why no stronger, and the scale. */
export const strength = {
  adverbs,
  sides,
  undecided: 'Nothing was decided, so no strength is stated.',
  outside:
    'The picture lies outside the range for which the method was validated. There, neither the probability nor the other values have a tested meaning; no strength is stated.',
  traced: {
    stated: (adverb: string, side: string, ratio: string) =>
      `The traces in the picture speak ${adverb} for ${side} (likelihood ratio ${ratio}).`,
    unsupported: (side: string) =>
      `The traces in the picture point to ${side}, but how strongly cannot be stated.`,
    none: (side: string, ratio: string) =>
      `The traces in the picture point to ${side}, but no strength can be stated: the likelihood ratio is no more than ${ratio}.`,
    bounded: (traced: string, ratio: string) =>
      `Taken by itself, the estimated probability would correspond to a ratio of ${traced}; the measured error rates support no more than ${ratio}.`,
  },
  unmeasured:
    'No error rates were measured for this model, so nothing supports a statement of strength.',
  halfMeasured:
    'The error rates recorded for this model do not tell how many pictures were classified correctly, so they support no statement of strength.',
  cap: {
    of: 'of',
    used: (strategy: string) => `strategy “${strategy}”`,
    looser: (strategy: string) =>
      `strategy “${strategy}”, which agrees with every decision of a stricter one`,
    sides: {
      fake: {
        own: 'generated pictures',
        other: 'photographs',
        ofOther: 'of photographs',
        called: '“fake”',
      },
      real: {
        own: 'photographs',
        other: 'generated pictures',
        ofOther: 'of generated pictures',
        called: '“real”',
      },
    },
    write: (
      {
        right,
        wrong,
        strategy,
        condition,
        bound,
        ratio,
      }: Record<'right' | 'wrong' | 'strategy' | 'condition' | 'bound' | 'ratio', string>,
      { own, other, ofOther, called }: Record<'own' | 'other' | 'ofOther' | 'called', string>,
    ) =>
      `When the method was measured, ${right} ${own} and ${wrong} ${other} were called ${called} (${strategy}; condition “${condition}”, the least favourable of those measured). That is compatible with up to ${bound} ${ofOther} being called ${called} wrongly (one-sided upper 95 % bound after Clopper and Pearson). The figures therefore support a likelihood ratio of at most ${ratio}.`,
  },
  declared: {
    head: 'The decision rests on what the file declares about itself, not on traces in the picture.',
    vouched: {
      unsigned: (adverb: string) =>
        `The declaration is not signed, and anybody can write one into a file, even into a genuine photograph; it therefore speaks only ${adverb} for ${sides.fake}.`,
      signed: (adverb: string) =>
        `The declaration is signed and the signature fits the file, but anybody can sign, and no trusted party vouches for this signer; it therefore speaks only ${adverb} for ${sides.fake}.`,
      trusted: (adverb: string) =>
        `The declaration is signed by a signer from the list of trusted signers, and the signature fits the file; it speaks ${adverb} for ${sides.fake}.`,
    },
    tail: 'The measured error rates of the method do not apply here, and no likelihood ratio is stated.',
  },
  changed: {
    head: 'The decision rests on what the methods that look for changed parts say together, not on the traces of the picture as a whole.',
    stated: (adverb: string, side: string) =>
      `The strongest of them speaks ${adverb} for ${side}, and no more is stated.`,
    none: (side: string) => `They point to ${side}, but none of them by itself states a strength.`,
    tail: 'The error rates measured for the whole picture do not apply here, and no likelihood ratio is stated.',
  },
  changedPart: {
    marked: (share: string, place: string, p: string) =>
      `The methods that look for changed parts mark a region of ${share} of the picture, ${place}; together they estimate the probability that a part was changed at ${p}.`,
    unmarked: (p: string) =>
      `The methods that look for changed parts together mark no region; they estimate the probability that a part was changed at ${p}.`,
  },
  stability: {
    summary: (flips: number, trials: number) =>
      `The values point clearly to the other side after ${flips === 0 ? 'none' : flips} of the ${trials} changes that were tried.`,
    changes: {
      'jpeg-90': 'saved as JPEG, quality 90',
      'jpeg-70': 'saved as JPEG, quality 70',
      'scale-75': 'scaled to 75 %',
      'scale-50': 'scaled to 50 %',
      'crop-5': 'cropped by 5 %',
    },
  },
  evaluation: {
    comparisonTitle: 'Comparison of the propositions',
    findingsTitle: 'Findings, the strongest first',
    sides: {
      real: (adverb: string) => `speaks ${adverb} for “real”`,
      fake: (adverb: string) => `speaks ${adverb} for “fake”`,
    },
    neutralTitle: 'Findings that speak for neither side',
    noneSpeaks: 'No finding speaks for either side.',
    scaleTitle: 'Scale of strength',
    scaleColumns: ['Word', 'Likelihood ratio', 'Meaning'] satisfies readonly [
      string,
      string,
      string,
    ],
    scaleRanges: {
      below: (to: string) => `below ${to}`,
      between: (from: string, to: string) => `${from} to below ${to}`,
      from: (from: string) => `${from} and above`,
    },
    scaleMeaning: (adverb: string) => `The evidence speaks ${adverb} for the one proposition.`,
    scaleNone: 'The evidence does not noticeably favour either proposition.',
    scaleNote:
      'The likelihood ratio tells how many times better the evidence fits the one proposition than the other. The steps follow the ENFSI guideline of 2015, with its two highest steps merged. No word is stronger than the validation set supports. What a file declares has no likelihood ratio; its strength depends on who vouches for it.',
    integrityTitle: 'Integrity and authenticity',
    integrity:
      'Integrity: the checksums of the item show which bytes were examined. They do not show that these bytes are those of the original.',
    credentials: {
      valid: 'The Content Credentials show that the file has not been changed since it was signed.',
      broken:
        'The Content Credentials show that the file was changed after it was signed. That is no evidence of deception: saving or scaling the file is enough.',
      unreadable: 'The Content Credentials cannot be read and show nothing.',
    },
    authenticity:
      'Authenticity, that is whether the picture is what it is said to be, is another question. A file can be intact and its content generated; and a genuine photograph remains genuine when it is saved again.',
  },
};
