import { kept } from '../../printable.ts';

/** The verbal scale of the ENFSI guideline; the words stand between "provides" and "support for". */
const adverbs = {
  weak: 'weak',
  moderate: 'moderate',
  moderatelyStrong: 'moderately strong',
  strong: 'strong',
  veryStrong: 'very strong',
};

/** What the evidence can support: the last for a declaration, the others for traces. */
const sides = {
  real: 'a photograph rather than a generated picture',
  fake: 'a generated picture rather than a photograph',
  changed: 'a change in a part of the picture',
  unchanged: 'an unchanged picture',
  declared: 'AI generation',
};

type Side = 'real' | 'fake';

/** How many of the changes that were tried led to each outcome, and the range of the probability of generation. */
type StabilityCounts = Record<'same' | 'open' | 'other', number> & Record<'low' | 'high', string>;

type Told = 'title' | 'date' | 'supporting' | 'opposing' | 'condition' | 'cllr' | 'lower' | 'upper';

type MeasuredRatios = Readonly<Record<Told, string>> & {
  readonly calibration: { readonly pictures: string; readonly sources: string } | null;
};

function timesAs(ratio: string): string {
  return ratio === '2' ? 'twice as' : `${ratio} times as`;
}

/** How strongly an examination supports its class, what limits that strength, and the scale. */
export const strength = {
  adverbs,
  sides,
  outside: 'None can be given: the method gives no meaningful values for a picture like this.',
  /** Shown instead of the trace network's values. */
  untested: 'The trace network’s values mean nothing for this picture, so none is given.',
  traced: {
    /** @param withSize - whether the picture's size counts as well. */
    subject: (withSize: boolean): string =>
      withSize ? 'The traces in the picture, together with its size,' : 'The traces in the picture',
    stated: (subject: string, adverb: string, side: Side, ratio: string, bound: string) => {
      const both = ['a photograph', 'a generated picture'];
      const [own, other] = side === 'real' ? both : both.toReversed();
      return `${subject} are ${timesAs(ratio)} probable in ${own} as in ${other} (likelihood ratio ${ratio}${bound}): ${adverb} support for ${own}.`;
    },
    unsupported: (subject: string, side: Side) =>
      `${subject} point to ${sides[side]}, but it is not possible to say how strongly.`,
    neither: (subject: string, side: Side, ratio: string) => {
      const name = side === 'real' ? 'a photograph' : 'a generated picture';
      return `${subject} support neither a photograph nor a generated picture (likelihood ratio ${ratio}${ratio === '1' ? '' : ` for ${name}`}; below 2 counts as neutral).`;
    },
  },
  /** For all methods that look for changed parts, together. */
  parts: {
    for: (adverb: string, ratio: string, bound: string) =>
      `The search for changes (all methods together) gives a score that is ${timesAs(ratio)} probable in a changed picture as in an unchanged one (likelihood ratio ${ratio}${bound}): ${adverb} support for a change.`,
    against: (adverb: string, ratio: string, bound: string) =>
      `The search for changes (all methods together) gives a low score, ${timesAs(ratio)} probable in an unchanged picture as in a changed one (likelihood ratio ${ratio}${bound}): ${adverb} evidence against a change.`,
    neither: (side: 'changed' | 'unchanged', ratio: string) => {
      const name = side === 'changed' ? 'a change' : 'an unchanged picture';
      return `The search for changes (all methods together) supports neither a change nor an unchanged picture (likelihood ratio ${ratio}${ratio === '1' ? '' : ` for ${name}`}; below 2 counts as neutral).`;
    },
  },
  /** In brackets, after a ratio that was limited because the tests do not support the full estimate. */
  bound: ', capped: the tests were too small to support more',
  unmeasured: 'No error rates were measured for this model, so no strength can be stated.',
  halfMeasured:
    'The error rates recorded for this model do not say how many pictures were classified correctly, so no strength can be stated.',
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
        called: 'generated',
      },
      real: {
        own: 'photographs',
        other: 'generated pictures',
        ofOther: 'of generated pictures',
        called: 'photographs',
      },
    },
    held: (
      { own, other, condition, ratio }: Record<'own' | 'other' | 'condition' | 'ratio', string>,
      names: Record<'own' | 'other' | 'called', string>,
    ) =>
      `No likelihood ratio above ${ratio} is stated in favour of ${names.own}: ${own} ${names.own} and ${other} ${names.other} from sources not used for fitting support no more (empirical lower and upper bound, ELUB; condition “${condition}”, the least favourable of those measured).`,
    write: (
      run: Record<'right' | 'wrong' | 'strategy' | 'condition' | 'bound' | 'ratio', string>,
      { own, other, ofOther, called }: Record<'own' | 'other' | 'ofOther' | 'called', string>,
    ) =>
      `When the method was measured, ${run.right} ${own} and ${run.wrong} ${other} were called ${called} (${run.strategy}; condition “${run.condition}”, the least favourable of those measured). That is compatible with up to ${run.bound} ${ofOther} being wrongly called ${called} (one-sided upper 95% bound, Clopper and Pearson). The figures therefore support a likelihood ratio of at most ${run.ratio}.`,
  },
  declared: {
    unsigned: (adverb: string) =>
      `What the file says provides ${adverb} support for ${sides.declared} (graded by a fixed rule, not by a measured ratio): no trusted signature confirms it, and anyone can write such an entry into a file.`,
    watermark: (adverb: string) =>
      `The watermark or logo in the picture provides ${adverb} support for ${sides.declared} (graded by a fixed rule, not by a measured ratio): it does not arise by chance, but anyone can put it into a picture.`,
    signed: (adverb: string) =>
      `What the file says provides ${adverb} support for ${sides.declared} (graded by a fixed rule, not by a measured ratio): the signature matches the file, but anyone can sign, and it is not established that this signer can be trusted.`,
    trusted: (adverb: string) =>
      `What the file says provides ${adverb} support for ${sides.declared} (graded by a fixed rule, not by a measured ratio): a signer from the list of trusted signers signed it, and the signature matches the file.`,
  },
  changed: {
    stated: (adverb: string, side: string) =>
      `The strongest of the methods that look for changed parts provides ${adverb} support for ${side}; no likelihood ratio was measured.`,
    none: (side: string) =>
      `The methods that look for changed parts point to ${side}, but none of them gives a strength on its own.`,
  },
  changedPart: {
    marked: (share: string, place: string, p: string) =>
      `The methods that look for changed parts mark a region of ${share} of the picture, ${place}; together they estimate the probability that a part was changed at ${p}.`,
    /** @param places - the places with their numbers. */
    markedSeveral: (places: string, p: string) =>
      `The methods that look for changed parts mark several places (${places}); together they estimate the probability that a part was changed at ${p}.`,
    unmarked: (p: string) =>
      `The methods that look for changed parts together mark no region; they estimate the probability that a part was changed at ${p}.`,
  },
  stability: {
    summary: ({ same, open, other, low, high }: StabilityCounts) => {
      const range = low === high ? `is ${low}` : `lies between ${low} and ${high}`;
      const tried = same + open + other;
      if (same === tried)
        return `As a test, the picture was re-saved, scaled or cropped in ${tried} ways. After each of them, the traces of the whole picture still point to the same side; the probability of generation then ${range}.`;
      const told = kept([
        same > 0 && `after ${same} they still point to the same side`,
        open > 0 && `after ${open} they are undecided`,
        other > 0 && `after ${other} they point to the other side`,
      ]);
      const list = new Intl.ListFormat('en').format(told);
      return `To test the traces found in the picture as a whole, it was re-saved, scaled or cropped in ${tried} ways: ${list}; the probability of generation then ${range}.`;
    },
    outcomes: { same: 'on the same side', open: 'undecided', other: 'on the other side' },
    changes: {
      'jpeg-90': 'saved as JPEG, quality 90',
      'jpeg-70': 'saved as JPEG, quality 70',
      'scale-75': 'scaled to 75%',
      'scale-50': 'scaled to 50%',
      'crop-5': 'cropped by 5%',
    },
  },
  evaluation: {
    sides: {
      real: (adverb: string) => `${adverb} support for a photograph`,
      fake: (adverb: string) => `${adverb} support for AI generation`,
      changed: (adverb: string) => `${adverb} support for a change`,
    },
    noneSpeaks: 'No finding supports either side.',
    tippett: {
      title: 'How good the likelihood ratios are',
      titles: { generated: 'Generated or recorded', changed: 'Changed in part' },
      axis: 'likelihood ratio at least',
      names: {
        generated: { supporting: 'generated pictures', opposing: 'photographs' },
        changed: { supporting: 'changed pictures', opposing: 'unchanged pictures' },
      },
      own: 'this picture',
      /** @param calibration - null for the operator's own pictures. */
      measured: (told: MeasuredRatios) => {
        const made =
          told.calibration === null
            ? ''
            : `calibrated on ${told.calibration.pictures} pictures from ${told.calibration.sources} sources; `;
        const of = told.calibration === null ? '' : ' of other sources';
        return `${told.title}: ${made}measured (${told.date}) on ${told.supporting} and ${told.opposing}${of}, condition “${told.condition}”. Cllr ${told.cllr} (0 is perfect, 1 says nothing); ratios from ${told.lower} to ${told.upper} are supported by tests (ELUB).`;
      },
    },
    scale: (steps: string) =>
      `Words by likelihood ratio: ${steps}; below 2 neither side is favoured.`,
    scaleStep: (adverb: string, from: string) => `${adverb} from ${from}`,
    scaleNote:
      'The likelihood ratio says how many times better the evidence fits one proposition than the other. The steps follow the ENFSI guideline of 2015, with its two highest steps merged. No word is stronger than the validation set supports.',
    integrity:
      'Integrity: the checksums of the item show which bytes were examined. They do not show that these bytes are those of the original.',
    credentials: {
      valid: 'The Content Credentials show that the file has not been changed since it was signed.',
      broken:
        'The file was changed after it was signed: its Content Credentials no longer match. Re-saving or scaling alone can cause this; the picture need not have been changed.',
      unreadable: 'The Content Credentials cannot be read and show nothing.',
    },
    authenticity:
      'Authenticity, that is, whether the picture is what it is said to be, is a separate question. A file can be intact and its content generated; and a genuine photograph remains genuine when it is re-saved.',
  },
};
