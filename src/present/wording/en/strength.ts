/** What the evidence can support: the last for a declaration, the others for traces. */
const sides = {
  real: 'a photograph rather than a generated picture',
  fake: 'a generated picture rather than a photograph',
  changed: 'a change in a part of the picture',
  unchanged: 'an unchanged picture',
  declared: 'AI generation',
};

type Side = 'real' | 'fake';

type Told = 'title' | 'date' | 'supporting' | 'opposing' | 'condition' | 'cllr' | 'lower' | 'upper';

type MeasuredRatios = Readonly<Record<Told, string>> & {
  readonly calibration: { readonly pictures: string; readonly sources: string } | null;
};

function timesAs(ratio: string): string {
  return ratio === '2' ? 'twice as' : `${ratio} times as`;
}

/** How strongly an examination supports its class, what limits that strength, and the scale. */
export const strength = {
  sides,
  outside: 'None can be given: the method gives no meaningful values for a picture like this.',
  /** Shown instead of the trace network's values. */
  untested: 'The trace network’s values mean nothing for this picture, so they are not given.',
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
  evaluation: {
    sides: {
      real: (adverb: string) => `${adverb} support for a photograph`,
      fake: (adverb: string) => `${adverb} support for AI generation`,
      changed: (adverb: string) => `${adverb} support for a change`,
    },
    noneSpeaks: 'No finding supports either side.',
    tippett: {
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

/** A range of sizes, in which null means no limit, and how many pictures in it were measured. */
type MeasuredSizes = Record<'from' | 'below', string | null> &
  Record<'changed' | 'photographs', string>;

type Counted = 'found' | 'changed' | 'unchanged';

/** How often the method errs, what it cannot do, and what was not examined. */
export const limits = {
  validation: {
    intro: ({ strategy, real, fake }: Record<'strategy' | 'real' | 'fake', string>) =>
      `Measured with this model and the strategy ${strategy} on ${real} photographs and ${fake} generated pictures from sources that were not used to develop it. The AUC is the share of pairs of a photograph and a generated picture that the model puts in the right order (0.5 is chance). In brackets: two-sided 95% intervals, over sources for the AUC and over pictures for the rates (Clopper and Pearson). Pictures from one source resemble each other, so the true uncertainty of the rates is greater.`,
    sides: ({ least, greatest }: Record<'least' | 'greatest', string>) =>
      `The longer sides of these pictures were ${least} to ${greatest} pixels long; larger and smaller pictures were not measured.`,
    outside: ({ least, greatest, own }: Record<'least' | 'greatest' | 'own', string>) =>
      `For AI generation, the method was tested on pictures with ${least} to ${greatest} pixels on the longer side; this one has ${own}. The strength stated here for AI generation is therefore less certain.`,
    none: 'No error rates were measured for this model. Do not rely on its result alone.',
    columns: [
      'Condition',
      'AUC',
      'Decided',
      'Photographs called generated',
      'Generated called photographs',
    ],
    /** On the first page, after the rate for unmodified files. */
    meaning:
      'A rate says how often pictures of a class were misjudged in this set. It is not the probability that this result is wrong: that also depends on how common generated pictures are among those examined.',
    changes: {
      title: 'Changed parts',
      intro: (run: Record<'strategy' | 'changed' | 'photographs', string>) =>
        `How often, with the strategy ${run.strategy}, the verdict was that a part had been changed: on ${run.changed} pictures from public sets, each with a part that people had changed, and on ${run.photographs} photographs that no one had changed. None of these pictures was used to develop the method. In brackets: two-sided 95% confidence intervals, with each picture as one observation (Clopper and Pearson).`,
      columns: ['Condition', 'Changed pictures called changed', 'Photographs called changed'],
      suspected: {
        intro:
          'Including suspicions. The unchanged pictures include the originals that come with the public sets:',
        row: (counts: Record<'condition' | 'falsely' | 'called' | Counted, string>) =>
          `${counts.condition}: a change was suspected or found in ${counts.found} of ${counts.changed} changed and in ${counts.falsely} of ${counts.unchanged} unchanged pictures (${counts.called} of the latter were called changed).`,
      },
      sizes: {
        intro:
          'The same by size, for unmodified files. These figures include simulated changes in uncropped photographs; almost all the changes in large pictures are simulated.',
        column: 'Megapixels (pictures)',
        row({ from, below, changed, photographs }: MeasuredSizes) {
          const range = from === null ? `below ${below}` : `${from} to ${below}`;
          return `${below === null ? `${from} or more` : range} (${changed} and ${photographs})`;
        },
      },
      meaning:
        'Changes are often missed, especially once a picture has been re-saved or scaled: finding none does not show that there is none.',
    },
    ownTitle: (id: string) => `Own validation ${id}`,
    own: (run: Record<'real' | 'fake' | 'time' | 'model' | 'strategy', string>) =>
      `Measured by the operator of this program on ${run.real} photographs and ${run.fake} generated pictures of their own, ${run.time}, with the model ${run.model} and the strategy ${run.strategy}. It does not affect the strength stated in this report.`,
    ownOtherModel: 'It was made with a different model and does not apply to this examination.',
    neverTestedTitle: 'Never tested',
    neverTested: [
      'Changes made by people in pictures above about 2 megapixels: the public sets contain none, so only simulated changes were measured.',
      'Photographs of screens and prints, scans, heavy retouching and enlargement by software.',
      'Deliberate attempts to deceive the method.',
      'Generators, cameras and programs that are not listed in the model card.',
    ],
  },
  limits: {
    nature: {
      traced:
        'The result is an estimate from statistical traces. It is not proof, and it says nothing about what the picture shows, its caption or its circumstances.',
      changed:
        'The result is an estimate from traces of a change in a part of the picture; the annex “Validation and error rates” states under “Changed parts” how often such results are right and wrong. It is not proof, and it says nothing about what the picture shows, its caption or its circumstances.',
      declared:
        'The result repeats what the file declares about itself. It is not proof: a declaration can be wrong, and anyone can write an unsigned one. It says nothing about what the picture shows, its caption or its circumstances.',
    },
    statements: [
      'Pictures are judged from 128 × 128 pixels; below 65,536 pixels in all, a change can only be suspected.',
      'The result applies to the file that was examined, not to other copies of the picture.',
      'The method was validated for photographs only; its error rates are in the annex. With other cameras, programs and generators they may be higher; the model card (CARD.md) lists them by source.',
    ],
    /** For reports that state figures. */
    figures: [
      'The stated uncertainty is the spread over repeated passes of the model. Differences between devices, programs and subjects that it has never seen are not included.',
      'The probability of generation assumes that both explanations were equally likely before the examination; the probability of a change assumes that one picture in five is changed. Anyone judging the case must take into account what else is known.',
    ],
    notCheckedTitle: 'Not checked',
    examinerShort: 'Have an examiner assess the picture and this result.',
    examiner:
      'This report was produced by an automated procedure. It must not be the sole basis of a decision that affects a person. A human examiner must assess the picture, its origin and the other evidence, and take responsibility for the conclusion.',
  },
  /** The same in a few words, for the first page. */
  notCheckedBrief: {
    invisible_watermarks: 'invisible proprietary watermarks, such as Google’s SynthID',
    local_edits: 'edited areas',
    small_edits: 'edits too small to be found',
    erased_edits: 'edits that saving has erased',
    camera_reference: 'which camera took it',
    recapture: 'whether it shows a screen or print',
    content: 'content, light and shadows',
    earlier_publication: 'whether it was published before',
    metadata_claims: 'what the file says about device, time and place, against other sources',
    remote_credentials: 'Content Credentials kept elsewhere, such as online',
    signer_trust: 'whether the signer can be trusted',
    signer_revocation: 'whether the signer’s certificate was revoked',
    stability: 'whether the result survives re-saving',
  },
  notChecked: {
    invisible_watermarks:
      'Watermarks of closed services such as SynthID were not looked for: only their makers’ own detectors can read them, and these are not available offline. The open ones used by the reference code of Stable Diffusion, SDXL and FLUX were looked for; saving as JPEG erases most of them. Of visible marks, only those of Google Gemini and DALL-E 2 at the lower right were looked for.',
    local_edits:
      'No search was made for edited areas: parts that were pasted, copied, removed or repainted may have gone unnoticed.',
    small_edits:
      'Small edited areas, and ones whose traces were lost when the picture was saved or scaled later, may have been missed.',
    erased_edits:
      'This picture has hardly any traces left that would reveal edited areas, so finding none means little.',
    camera_reference:
      'Whether one particular camera took the picture was not examined: comparing sensor noise (PRNU) requires reference pictures from that camera.',
    recapture:
      'Whether the camera recorded the scene itself, or a screen or print that shows it, was not examined.',
    content:
      'Content, lighting, shadows and perspective were not assessed, nor was whether the picture shows what it is said to show.',
    earlier_publication:
      'No search was made for earlier publications of the picture on the web (reverse image search).',
    metadata_claims:
      'What the file says about device, time and place was not compared with any source outside the file.',
    remote_credentials:
      'Content Credentials that are kept outside the file, for example on a provider’s server, were not retrieved.',
    signer_trust:
      'Whether the signer of the Content Credentials can be trusted was not checked: no list of trusted signers was given. The official list is the file C2PA-TRUST-LIST.pem, which the C2PA publishes in the trust-list folder of github.com/c2pa-org/conformance-public; specify it with --trust-list.',
    signer_revocation:
      'Whether the signer’s certificate has been revoked was not checked: that requires a network query.',
    stability:
      'Whether the result holds when the picture is saved, scaled or cropped again was not tested.',
  },
};
