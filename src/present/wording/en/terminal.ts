import type {
  DeclarationPlace,
  ReasonCode,
  ResultClass,
  ResultSubClass,
  Side,
  Strength,
} from '../../../contract/vocabulary.ts';
import type { Format, PictureNote } from '../../../image/picture.ts';

/** What decided, in one line. */
const because = {
  real: 'Its traces are those of a camera; no part stands out enough.',
  fake: 'It has traces such as image generators leave.',
  changed: (place: string) => `A part of it differs from the rest${place}.`,
  suspected: (place: string) => `A part may have been changed${place}; the signs are weak.`,
  where: (place: string, share: string) => ` (${place}, ${share} of the picture)`,
  declared: (place: string, name: string) => `The file says so itself (${place}${name}).`,
  too_small: 'It has too few pixels to be examined.',
  too_compressed: 'Compression has erased the traces that would decide.',
  no_usable_trace: 'It has no measurable traces, neither of a camera nor of AI.',
  not_a_photograph: 'It looks like a drawing, screenshot or scan, not a photograph.',
  outside_training_domain: 'Its traces are unlike anything the model was measured on.',
  margin_within_uncertainty: 'It lies so near the middle that chance could tip it.',
  evidence_below_threshold: 'The evidence is too weak to decide.',
  unstable_under_resaving: 'Saved or scaled again, its traces point to the other side.',
  declaration_contradicts_traces: 'The file says it is generated; its traces say camera.',
  single_weak_method: 'One method alone sees a change, and only weakly.',
} satisfies Readonly<Record<Exclude<ReasonCode, 'manipulation_suspected'>, string>> &
  Readonly<Record<string, unknown>>;

/** What to do now, in one line. */
const next = {
  real: 'Check its source and caption: a genuine picture can mislead too.',
  fake: 'Find out who published it first, and ask for the original file.',
  changed: 'Look at the marked place in the heatmaps and in the picture.',
  draw: 'See where: --tier forensicReporting --out DIR draws heatmaps.',
  declared: 'Find out who made the file: an entry like this can be forged.',
  vouched: 'Find out who made it, and what it was made from.',
  signer: 'Check signer: --trust-list (github.com/c2pa-org/conformance-public)',
  compare: 'Compare it with other pictures that this camera took.',
  too_small: 'Get the full-size picture, not a preview or a detail.',
  too_compressed: 'Get an earlier copy, not one sent by a messenger.',
  no_usable_trace: 'Get an earlier copy, from the device or its first publisher.',
  not_a_photograph: 'If it shows a photograph, examine the file of that photograph.',
  outside_training_domain: 'Compare it with other pictures from the same source.',
  margin_within_uncertainty: 'Get a copy closer to the original.',
  evidence_below_threshold: 'Look for its source and for other pictures of the event.',
  unstable_under_resaving: 'Get a copy that was saved and scaled less often.',
  declaration_contradicts_traces: 'Get the file from the device it is said to come from.',
  manipulation_suspected: 'Get the file as the camera stored it, and compare the two.',
  single_weak_method: 'Have an examiner look at the marked place.',
} satisfies { readonly [Code in ReasonCode]: string } & Readonly<Record<string, string>>;

/** The same for a table: three words. */
const short = {
  real: 'no part stands out',
  fake: 'traces of generators',
  changed: 'a part differs',
  declared: 'file says so',
  too_small: 'too few pixels',
  too_compressed: 'too much compression',
  no_usable_trace: 'no measurable traces',
  not_a_photograph: 'not a photograph',
  outside_training_domain: 'unlike measured pictures',
  margin_within_uncertainty: 'within the uncertainty',
  evidence_below_threshold: 'evidence too weak',
  unstable_under_resaving: 'unstable when resaved',
  declaration_contradicts_traces: 'entry contradicts traces',
  manipulation_suspected: 'change is suspected',
  single_weak_method: 'one weak method',
} satisfies { readonly [Code in ReasonCode]: string } & Readonly<Record<string, string>>;

/** What `analyze` prints for a person: card, details, table and the line below it. */
export const terminal = {
  because,
  next,
  short,
  places: {
    c2pa: 'C2PA',
    xmp: 'XMP',
    iptc: 'IPTC',
    exif: 'EXIF',
    'png-text': 'PNG text',
  } satisfies Readonly<Record<DeclarationPlace, string>>,
  card: {
    labels: {
      because: 'Because',
      wrong: 'Error rate',
      file: 'File says',
      next: 'Next',
      more: 'Report',
    },
    generated: (p: string) => `P(generated) ${p}`,
    changed: (p: string) => `P(changed) ${p}`,
    /** The one that decides behind a probability. */
    limit: (p: string) => ` (limit ${p})`,
    /** Between the two limits nothing is decided. */
    open: (from: string, to: string) => ` (open from ${from} to ${to})`,
    /** The error rates in one line. */
    wrong: {
      real: (generated: string, changed: string) =>
        `It misses ${generated} of generated and ${changed} of changed pictures.`,
      changed: (rate: string, of: string) =>
        `${rate} of ${of} unchanged photographs got this result too.`,
    },
    more: 'all: --details; as PDF: --tier forensicReporting --out DIR',
    onServer: (id: string) => `analysis ${id} (all: --details)`,
    hint: (path: string) => `${path} (all: --details)`,
  },
  /** How often this verdict was wrong when it was measured. */
  wrong: {
    real: (rate: string, of: string) => `${rate} of ${of} generated pictures got this result too`,
    missed: (rate: string, of: string) =>
      `${rate} of ${of} pictures with a changed part went undetected`,
    fake: (rate: string, of: string) => `${rate} of ${of} photographs got this result too`,
    changed: (rate: string, of: string) =>
      `${rate} of ${of} unchanged photographs got this result too`,
    declared: 'Unknown: whoever writes the file decides what it says.',
    vouched: 'Not measured: it is as reliable as the trusted signer.',
    unmeasured: 'Never measured for this model; do not rely on the result alone.',
    measured: 'When measured, ',
    and: '; ',
  },
  table: {
    head: { file: 'PICTURE', result: 'RESULT', generated: 'P(GENERATED)', changed: 'P(CHANGED)' },
    reason: 'REASON',
    results: {
      real: 'no sign found',
      fake: 'looks generated',
      changed: 'looks changed',
      declared: 'declared as AI',
      uncertain: 'undecided',
      abstain: 'not judged',
      failed: 'failed',
      started: 'started',
    },
  },
  summary: {
    pictures: (count: number) => `${count} ${count === 1 ? 'picture' : 'pictures'}`,
    counts: {
      real: 'without a sign',
      fake: 'with signs',
      abstain: 'not judged',
      uncertain: 'undecided',
      failed: 'failed',
    } satisfies Readonly<Record<ResultClass | 'failed', string>>,
    results: (dir: string) => `Results in ${dir}, a folder for each picture`,
    stopped: 'Stopped.',
    noneExamined: 'No picture was examined, and nothing was written.',
    rates: { second: 'a second', minute: 'a minute', hour: 'an hour' },
  },
  progress: {
    one: 'Examining',
    examined: (count: number) => `${count} examined`,
    failed: (count: number) => `${count} failed`,
    left: (time: string) => `about ${time} left`,
  },
  details: {
    labels: {
      class: 'Class',
      strength: 'Strength',
      generated: 'P(generated)',
      changed: 'P(changed)',
      kind: 'Kind',
      change: 'Change',
      because: 'Because',
      helpful: 'Helpful',
      stability: 'Stability',
      unchecked: 'Unchecked',
      traces: 'Traces',
      similarity: 'Similarity',
      anomaly: 'Anomaly',
      history: 'XMP history',
      credentials: 'C2PA',
      picture: 'Picture',
      note: 'Note',
      model: 'Model',
      analysis: 'Analysis',
      written: 'Written',
    },
    class: (name: string) => `${name}, as --json and --fail-on name it`,
    notStated: {
      abstain: 'not stated: it would mean nothing for a picture outside the validated kind',
      declared: 'not stated: the traces did not decide',
      byTraces: (name: string) => `; alone they lead to “${name}”`,
    },
    limits: {
      fakeMin: 'signs from',
      realMax: 'no sign up to',
      manipulatedMin: 'signs from',
      suspectedMin: 'suspected from',
    } as Readonly<Record<string, string>>,
    unchecked: (count: string) =>
      `${count} things that may matter, such as invisible watermarks (SynthID); the report and --json name each`,
    scores: { real: 'real', fake: 'fake', compression: 'compression' },
    similarity: (real: string, fake: string) => `compressed real ${real}, compressed fake ${fake}`,
    anomaly: (score: string, clusters: number, gini: string) =>
      `score ${score}, ${clusters === 1 ? '1 cluster' : `${clusters} clusters`}, Gini ${gini}`,
    picture: (format: string, width: number, height: number) =>
      `${format}, ${width} x ${height} px`,
    model: (model: string, strategy: string, seed: number) =>
      `${model}, ${strategy} strategy, seed ${seed}`,
    sides: {
      fake: 'For fake',
      real: 'For real',
      neither: 'Neither',
    } satisfies Readonly<Record<Side, string>>,
    strengths: {
      none: 'none',
      weak: 'weak',
      moderate: 'moderate',
      moderatelyStrong: 'moderately strong',
      strong: 'strong',
      veryStrong: 'very strong',
    } satisfies Readonly<Record<Strength, string>>,
    more: (count: number) => `and ${count} more`,
    kinds: {
      'ai-generated': 'generated by AI',
      'ai-manipulated': 'manipulated with AI',
      manipulated: 'manipulated',
    } satisfies Readonly<Record<ResultSubClass, string>>,
    notes: {
      converted_from_cmyk: 'converted from CMYK',
      converted_from_grey: 'converted from grey',
      reduced_from_16_bit: 'reduced from 16 to 8 bits a sample',
      transparency_flattened_on_white: 'transparency flattened on white',
      first_frame_of_animation: 'only the first frame of the animation was examined',
      rotated_by_exif: 'rotated as its EXIF orientation says',
      extension_disagrees: (format: Format) =>
        `the content is ${format}, the file name says otherwise`,
    } satisfies Readonly<Record<PictureNote, unknown>>,
  },
};
