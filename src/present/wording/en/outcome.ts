import type { ReasonCode } from '../../../contract/vocabulary.ts';

/** `copies`: two places that show the same thing, one of them original; `unsure`: no single method marks them. */
export type Marked = 'one' | 'several' | 'copies' | 'word' | 'unsure';

/** How far the signer of Content Credentials is known. */
export type SignerTrust = 'trusted' | 'open' | 'test';

const signers: Readonly<Record<SignerTrust, string>> = {
  trusted: 'signed statements of origin',
  open: 'signed statements of origin, signer not confirmed',
  test: 'statements of origin, apparently signed with a test certificate',
};

/** The outcome for users: a headline, the reason and the next step in a line each, and how often it was wrong. */
export const outcome = {
  headlines: {
    real: 'No sign of AI generation or change found in the picture',
    blind: 'No sign of AI generation found; changes cannot be judged',
    hinted: 'No sign of AI generation; at most a slight hint of a change',
    fake: 'Signs of AI generation found',
    changed: (isSeveral: boolean) =>
      `Signs that ${isSeveral ? 'several parts of the picture were' : 'part of the picture was'} changed`,
    copied: 'Signs that part of the picture was copied',
    declared: (isParts: boolean, tracesAgree: boolean) =>
      isParts
        ? `The file says that AI generated parts of the picture${tracesAgree ? '; its traces suggest all of it' : ''}`
        : `The file says that AI generated the picture${tracesAgree ? ', and its traces agree' : ''}`,
    uncertain: 'Undecided: the evidence is not clear enough',
    contradicted: 'Undecided: the file and the traces point different ways',
    suspected: (isSeveral: boolean) =>
      `${isSeveral ? 'Changes suspected in several parts' : 'Change suspected in one part'}, but not established`,
    copySuspected: 'Copied part suspected, but not established',
    damaged: 'Undecided: what is marked lies where the file is damaged',
    /** Beside a likelihood ratio that supports neither side. */
    isolated: (isCopy: boolean) =>
      `Undecided: only isolated signs of ${isCopy ? 'a copied part' : 'a change'}`,
    editDeclared: 'The file declares an edit, and a change is suspected',
    abstain: 'The program cannot judge this picture',
  },
  because: {
    /** For a result without evidence, as a server returns it for the flagging tier. */
    unstated: 'The flagging tier gives the result alone; the forensic report gives the reason.',
    real: 'The content of the picture was not examined; changes often go unnoticed.',
    /** Replaces `real` if it is known how often changes are missed. */
    missed: (called: string) =>
      `The content of the picture was not examined. In tests, ${called} changes in such pictures were missed or only suspected.`,
    blind: (called: string) =>
      `The content of the picture was not examined. In tests, ${called} changes in such pictures were missed or only suspected, so finding no change means nothing.`,
    hinted:
      'Taken together, the methods lean slightly towards a change, too slightly for a suspicion. The content of the picture was not examined.',
    /** If a mark lies where the file is damaged. */
    damaged: 'The file is damaged, which may by itself explain what is marked.',
    /** Added if a change was found or suspected. */
    wholeReal:
      'The picture as a whole shows no sign of AI generation; whether AI was used on a part remains open.',
    /** Added instead if it is unclear whether the whole picture was generated. */
    wholeOpen: 'It remains undecided whether AI generated the picture.',
    /** Added if nothing was found in the picture, or nothing was decided. */
    savedAgain: {
      /** @param sign - what suggests this, if no program is named. */
      saved: (program: string | null, sign: string) =>
        `${program === null ? `The file seems to have been saved again later, judging by ${sign}` : `According to its metadata, the file was saved with ${program}`}; that alone does not mean that the picture was changed.`,
      signed: 'The file no longer matches its signature; re-saving alone can cause this.',
      rewritten: (program: string | null) =>
        `The manufacturer’s data (maker note), which the camera named in the file always writes, are missing: ${program === null ? 'the camera data were rewritten, as many programs do, or do not come from the camera' : `saving with ${program}, which the file names, can explain this; otherwise the camera data do not come from the camera`}.`,
    },
    declaredEdits: (steps: string, signer: SignerTrust) =>
      `The file’s Content Credentials (${signers[signer]}) declare: ${steps}.`,
    fake: (hasSize: boolean): string =>
      `Traces in the picture resemble those of AI image generators${hasSize ? '; its size fits them too' : ''}.`,
    changed: (place: string, marked: Marked) =>
      ({
        one: `One part${place} differs from the rest.`,
        several: `Several parts${place} differ from the rest.`,
        copies: `Two parts${place} match as an original and its copy would.`,
        word: `A word or number${place} differs from those like it.`,
        unsure: `Something in the picture seems to have been changed; where${place} is uncertain.`,
      })[marked],
    declared: (place: string, name: string) => `It says so in ${place}${name}.`,
    manipulation_suspected: (place: string, marked: Marked) =>
      ({
        one: `One part${place} may have been changed; the signs are not enough to establish it.`,
        several: `Several parts${place} may have been changed; the signs are not enough to establish it.`,
        copies: `Two parts${place} look alike; the signs are not enough to establish a copy.`,
        word: `A word or number${place} differs from those like it; that is not enough to establish a change.`,
        unsure: `The picture may have been changed, but where${place} is uncertain; the signs are not enough to establish it.`,
      })[marked],
    too_small: 'The picture, or its shorter side, has too few pixels to be examined.',
    too_compressed: 'Compression has destroyed the traces needed to decide.',
    no_usable_trace:
      'No traces can be measured in the picture, either of a camera or of AI, so it cannot be judged.',
    not_a_photograph: 'The program classes it as a drawing, screenshot or scan; it may be wrong.',
    outside_training_domain: 'It is unlike any picture the method was tested on.',
    margin_within_uncertainty: 'Too close to 50% to call.',
    evidence_below_threshold:
      'The evidence is too weak to tell a photograph from a generated picture.',
    unstable_under_resaving: 'After another save or resize, its traces point the other way.',
    declaration_contradicts_traces:
      'The file says that AI generated the picture; the traces fit a photograph better.',
    single_weak_method: 'Only one method indicates a change, and even that one only weakly.',
  },
  where: (place: string, share: string) => `${place}, ${share} of the picture`,
  next: {
    unstated: 'Get the forensic report (tier forensicReporting), or ask for the original file.',
    real: 'Check where the picture comes from and what it is said to show.',
    fake: 'Find out where the picture comes from, and ask for the original file.',
    changed: 'Ask for the original file, and compare what is marked.',
    declared: 'Find out who made the file, and who added that entry.',
    vouched: 'Find out who made the picture, and what it was made from.',
    broken: 'Ask for the file as it was when it was signed.',
    edits: 'Ask who made the edits that the file declares, and what exactly was edited.',
    signer: 'Find out whether the signer is on the C2PA list of trusted signers.',
    synthid:
      'Have Google’s Gemini app check the picture for the SynthID watermark, which hands it to Google.',
    compare: 'Compare the picture with others from this camera.',
    too_small: 'Get the full-size picture, not a preview or a crop.',
    too_compressed: 'Get an earlier copy, not one sent through a messaging app.',
    no_usable_trace: 'Get an earlier copy, from the device or from where it was first published.',
    not_a_photograph: 'Ask for the original file or document; have an examiner judge the picture.',
    outside_training_domain: 'Compare the picture with other pictures from the same source.',
    margin_within_uncertainty: 'Get a copy closer to the original.',
    evidence_below_threshold:
      'Look for the source and earlier copies of the picture; ask for the original file.',
    unstable_under_resaving: 'Get a copy that was saved and scaled fewer times.',
    declaration_contradicts_traces: 'Find out where the file comes from, and ask for the original.',
    manipulation_suspected:
      'Ask for the original file as it was first stored, and compare it with this one.',
    single_weak_method: 'Have an examiner look at what is marked.',
  } satisfies { readonly [Code in ReasonCode]: string } & Readonly<Record<string, string>>,
  /** Next steps for a finding that indicates generation or a change. */
  nextOf: {
    /** For any weak finding. */
    weak: 'Not strong enough on its own; ask for the original file from the device.',
    other: 'Ask for the original file from the device.',
    methods: {
      'trace-network': 'Ask who took the picture, and ask for the original file from the device.',
      'photograph-likeness': 'Ask for a photograph of the subject itself.',
      'content-credentials': 'Ask the sender who made the file and with which program.',
      'declared-origin': 'Ask the sender why the file mentions an AI generator.',
      'named-software': 'Ask the sender what was done in the program that the file mentions.',
      'file-consistency': 'Ask for the file from the device: this one raises questions.',
      'compression-tables': 'Ask for the file from the device: a program has saved this one.',
      'file-layout': 'Ask how the file was made, and ask for the one from the device.',
      'localisation-network': 'Ask for the original file and another photograph of this area.',
      'double-quantisation': 'Ask for the original file, and compare this area with it.',
      'copy-move': 'Compare the two areas, and ask for another photograph of them.',
      'changed-words': 'Compare this word with the original document.',
      thumbnail: 'Look at the preview in the file: it may show the picture before it was changed.',
    } as Readonly<Record<string, string>>,
  },
  /** How often such a result was wrong in tests, and how much the method finds, as counts. */
  wrong: {
    some: (called: string, of: string) => `${called} of ${of}`,
    /** The tested condition nearest to the file; follows "pictures". */
    qualities: {
      usual: 'as published (the tested condition nearest to this file)',
      low: 'saved as JPEG 75 (the tested condition nearest to this file)',
    },
    generated: (quality: string, called: string, open: string, passed: string) =>
      `In tests with pictures ${quality}, the test for AI generation recognised ${called} generated pictures, left ${open} undecided and mistook ${passed} for photographs.`,
    /** @param size - empty if every size was counted together. */
    found: (called: string, size: string) =>
      `The search for changes recognised ${called} changed pictures${size} (suspicions not counted).`,
    /** Follows "pictures". */
    sizes: (from: string | null, below: string | null) =>
      from === null
        ? ` below ${below} megapixels`
        : below === null
          ? ` of ${from} megapixels or more`
          : ` of ${from} to ${below} megapixels`,
    /** Follows the false alarms if there is only a hint of a change. */
    hints: 'Mere hints such as this one count neither as recognised nor as false alarms.',
    kinds: (told: string, of: string, falsely: string) =>
      `In a second test, with ${of} pictures of all sizes, changed by people, it found or suspected ${told}; false alarms, suspicions counted: ${falsely} unchanged pictures.`,
    kind: (name: string, found: string, pictures: string) => `${found} of ${pictures} ${name}`,
    alarms: (told: string) =>
      `False alarms (rate, and upper end of its 95% confidence interval): ${told}.`,
    alarmsToo: (told: string) => `False alarms: ${told}.`,
    fake: (called: string, rate: string, high: string) =>
      `${called} photographs called generated (${rate}, up to ${high})`,
    /** @param isOfAllSizes - although the changed pictures are of one class of sizes. */
    changed: (called: string, rate: string, high: string, isOfAllSizes: boolean) =>
      `${called} unchanged pictures${isOfAllSizes ? ' of all sizes' : ''} called changed (${rate}, up to ${high})`,
    suspected: (quality: string, rightly: string, falsely: string, rate: string, high: string) =>
      `In tests with pictures of all sizes ${quality}, the search found or suspected a change in ${rightly} pictures changed by people. False alarms (rate, and upper end of its 95% confidence interval): ${falsely} unchanged pictures (${rate}, up to ${high}).`,
    declared: 'How often such entries are false was not measured.',
    byTraces: 'For the traces alone:',
    vouched: 'Not measured: it is as reliable as the trusted signer.',
    unmeasured: 'Never measured for this model; do not rely on the result alone.',
    /** Error rates in one line. */
    brief: {
      real: (generated: string, changed: string) =>
        `Found ${generated} generated and ${changed} changed pictures in tests.`,
      fake: (called: string) => `In tests, mistook ${called} photographs for generated pictures.`,
      changed: (called: string) =>
        `In tests, mistook ${called} unchanged pictures for changed ones.`,
      suspected: (called: string) =>
        `In tests, wrongly suspected a change in ${called} unchanged pictures.`,
    },
  },
};

/** The meaning of an examination: the summary, the reasons why nothing was decided, and the conclusion. */
export const verdict = {
  reasons: {
    too_small: 'The picture, or its shorter side, has fewer pixels than the method needs.',
    too_compressed:
      'Lossy compression has destroyed the fine traces that distinguish a camera recording from a generated or altered picture.',
    no_usable_trace:
      'No traces of a camera, of generation or of alteration are left at a measurable strength, so a change would not show either. Scaling down, smoothing, repeated saving and a reduction to a few colours commonly have this effect.',
    not_a_photograph:
      'The program does not class the picture as a photograph. The method was tested only on photographs and on generated pictures that look like photographs; for anything else its values mean nothing.',
    outside_training_domain:
      'The picture is unlike any that the method was trained on, so its values cannot be relied on.',
    margin_within_uncertainty:
      'Repeated passes of the model vary too much for a result so close to the boundary between the two classes: chance alone could have decided it.',
    evidence_below_threshold:
      'The likelihood ratio between a photograph and a generated picture is too low for a decision.',
    unstable_under_resaving:
      'After changes that shared pictures often go through, such as being re-saved, scaled or cropped, the values point to the other side. A verdict that does not survive such changes is not well founded.',
    declaration_contradicts_traces:
      'The file says that the picture was generated, but the traces in the picture fit a photograph better. Unless a trusted signer vouches for the entry, such a contradiction remains unresolved: anyone can write such an entry into a file, and the method takes some generated pictures for photographs.',
    manipulation_suspected:
      'The methods that look for changed parts give reason to suspect a change, but not enough to call the picture changed. Nor can it be said that no sign was found.',
    single_weak_method:
      'Only one of the methods that look for changed parts indicates a change, and even that one only weakly; this may be an error.',
  },
  /** What ratio would have been needed, for `evidence_below_threshold`. */
  needed: (real: string, fake: string) =>
    `At this size in pixels, the method decides only at a ratio of ${real} or more for a photograph, or ${fake} for a generated picture.`,
  /** Why a change can only be suspected, however strong the evidence. */
  onlySuspected: {
    small:
      'Pictures with fewer than 65,536 pixels are too small for the method to establish a change; in them, one can only be suspected.',
    damaged:
      'The file is cut off or damaged, and what is missing can be mistaken for a change; in such a file, a change can only be suspected.',
  },
  strategies: {
    pedantic: 'strict (pedantic: decides least often)',
    default: 'balanced (default)',
    relaxed: 'lenient (relaxed: decides most often)',
  },
  /** How far to rely on the result, in one sentence for someone who has to act on it. */
  conclusion: {
    real: 'The result points away from AI generation, but does not settle whether AI generated the picture or a part of it was changed. A genuine photograph can also carry a false caption, or be a photograph of a screen or a print.',
    fake: 'The result is a reason to investigate, not the sole ground for a decision against anyone: some photographs are mistaken for generated pictures, and who made this picture, and why, remains open.',
    changed:
      'The result is a reason to investigate, not the sole ground for a decision against anyone: it can be wrong, unmarked parts may be changed too, and who changed what, and why, remains open.',
    declared:
      'The result is a reason to investigate, not the sole ground for a decision against anyone: it rests on what the file says and is only as reliable as that; who made the picture, and why, remains open.',
    agreeing:
      'The result is a reason to investigate, not the sole ground for a decision against anyone: it rests on what the file says, and the traces agree, but both can mislead; who made the picture, and why, remains open.',
    suspected:
      'The suspicion is a reason to ask for the original, not a finding to base a decision on. Unmarked parts may be changed too.',
    uncertain: 'The evidence does not permit a decision; do not base one on it.',
    abstain: 'Nothing can be concluded from this about the picture, one way or the other.',
    duty: [
      'The result is one piece of evidence among others and does not replace an examiner’s assessment.',
      'The result is one piece of evidence among others; the assessment remains with the examiner.',
    ],
  },
};

/** What `analyze` prints for people: the card, the table and the line below it. */
export const terminal = {
  card: {
    more: 'PDF and heatmaps: --tier forensicReporting --out DIR',
  },
  /** Name of a picture in a PDF, shown after the file name. */
  pdf: {
    part: (page: number, picture: number | null) =>
      picture === null ? `page ${page}` : `page ${page}, picture ${picture}`,
  },
  summary: {
    pictures: (count: number) => `${count} ${count === 1 ? 'picture' : 'pictures'}`,
    /** Kinds of files in a folder that are not pictures; any kind not listed here is `unknown`. */
    kinds: {
      text: (count: number) => `${count} text ${count === 1 ? 'file' : 'files'}`,
      html: (count: number) => `${count} web ${count === 1 ? 'page' : 'pages'}`,
      video: (count: number) => `${count} ${count === 1 ? 'video' : 'videos'}`,
      ico: (count: number) => `${count} ${count === 1 ? 'icon' : 'icons'}`,
      zip: (count: number) =>
        `${count} ${count === 1 ? 'archive or office document' : 'archives or office documents'}`,
      gzip: (count: number) => `${count} gzip ${count === 1 ? 'archive' : 'archives'}`,
      empty: (count: number) => `${count} empty ${count === 1 ? 'file' : 'files'}`,
      unknown: (count: number) => `${count} ${count === 1 ? 'file' : 'files'} of an unknown kind`,
    },
    /** @param more - how many others are not named here. */
    leftOut: (names: string, more: number) =>
      `Left out: ${names}${more > 0 ? ` and ${more} more, all in --csv and --jsonl` : ''}.`,
    skipped: {
      hidden: 'hidden',
      own_results: 'results of this program',
      special_file: 'a device, pipe or socket',
      folder_seen_before: 'a folder that was already read',
      elsewhere: 'a link out of the folder; name its target instead',
      small_pictures: (count: number) =>
        `${count} ${count === 1 ? 'picture' : 'pictures'} with a side under 65 pixels`,
      repeated_pictures: (count: number) =>
        `${count} repeated ${count === 1 ? 'picture' : 'pictures'}`,
      later_pages: (count: number) => `${count} pages after the first 500`,
    },
    results: (dir: string) => `Results in ${dir}, a folder for each picture`,
    noneExamined: 'No picture was examined, and nothing was written.',
  },
};
