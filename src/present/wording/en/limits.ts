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
      'Pictures are judged from 128 × 128 pixels; below 65,536, a change is at most suspected.',
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
