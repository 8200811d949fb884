/** Headings, values and paragraphs of reports, and the words on cases and terms. Short labels are in `labels.ts`. */

export const labels = {
  /** Position of a picture in a PDF; all lengths are formatted millimetres. */
  origins: {
    place: (width: string, height: string, left: string, top: string) =>
      `${width} × ${height} mm, ${left} mm from the left and ${top} mm from the top`,
  },
  thresholds: {
    fakeMin: 'minimum probability of generation to be called generated',
    realMax: 'maximum probability of generation to be called a photograph',
    traceMin: 'minimum traces of either kind (0 to 2)',
    compressionMax: 'maximum compression',
    anomalyMax: 'maximum anomaly score',
    minDeviations: 'minimum distance from 0.5, in standard deviations',
    leastDeviations: 'minimum distance from 0.5, in standard deviations',
    manipulatedMin:
      'minimum probability of a change to be called changed (1: never, because the picture is too small or damaged)',
    suspectedMin: 'minimum probability of a change for one to be suspected',
  },
  soundRows: (percent: string) =>
    `the file is cut off or damaged: only the first ${percent}% of the rows are intact`,
  notes: {
    converted_from_cmyk: 'converted from CMYK',
    converted_from_grey: 'converted from greyscale',
    reduced_from_16_bit: 'reduced from 16 bits per sample',
    transparency_flattened_on_white: 'transparency flattened onto white',
    first_frame_of_animation: 'first frame of an animation',
    rotated_by_exif: 'rotated according to EXIF',
    extension_disagrees: 'file extension disagrees with the content',
    reduced_to_8_bit: 'reduced to 8 bits per sample',
    first_page: 'first page of several',
    main_picture: 'main picture of several in the file',
    jpeg_of_raw: 'the full-size JPEG inside a camera raw file',
    rotated_by_container: 'rotated as the file says',
    end_marker_missing: 'no end marker; all rows are present',
    rows_missing: 'the file is cut off or damaged',
    stray_bytes: 'stray bytes between the parts of the JPEG',
    scan_parameters: 'unusual scan parameters, as some Samsung firmware writes them',
    jfif_version: 'unknown JFIF version',
    adobe_transform: 'unknown colour transform in the Adobe segment',
    checksum_wrong: 'wrong checksum on intact pixel data',
    chunk_ignored: 'a PNG chunk with a wrong checksum',
  },
  heatmap: 'Shows where methods responded, not that anything was changed',
  outline: 'White numbered frames surround the parts marked as changed.',
  strips: {
    leftToRight: (count: string) => `in ${count} strips, from left to right`,
    topToBottom: (count: string) => `in ${count} strips, from top to bottom`,
  },
  uploadReplaced: 'replaced after the start; the copy taken at the start was examined',
  presentNotShown: 'present in the file, not reproduced here',
  exactQuality: (quality: string) => `${quality} (exact match of the luminance quantisation table)`,
  nearestQuality: (quality: string, distance: string) =>
    `about ${quality} (luminance quantisation table; mean difference ${distance} steps)`,
  bits: (bits: string, channels: string) => `${bits} bits per sample, ${channels} channels`,
  deviation:
    'Values with one standard deviation over the Monte Carlo passes; in brackets, and as a line over the bar, the range of two standard deviations. The bars run from 0 to 1; vertical lines mark the thresholds between photograph, no decision, and generated.',
  findings: {
    columns: ['Method and finding', 'Strength on its own', 'Where'],
    none: 'no statement',
    notStated: 'not stated',
    outside:
      'The picture lies outside the range for which the methods were validated: their findings are recorded without a strength.',
    elsewhere: (section: string) =>
      `What the file says about itself is in the section “${section}”; it is listed here only where it supports one side.`,
    panels:
      'The small pictures are grey where a method finds nothing and coloured, up to pale yellow, where it sees a change. Methods that find nothing have no picture.',
  },
  escapes:
    'Characters that cannot be reproduced unambiguously are given by their Unicode number, as in ⟨U+202E⟩, and bytes that are not UTF-8 as in ⟨0xE4⟩; ⟨… 12 …⟩ stands for 12 characters left out.',
};

/** Paragraphs of the PDF on what the report is, what it is about and how to verify it. */
export const document = {
  /** Other pictures that show the same thing. */
  seen: {
    beside:
      'This picture on the left, the other on the right, both cropped to what they share and rotated the same way.',
    alike: 'No part differs by more than saving and scaling can explain.',
    framed: 'The framed parts differ.',
    gone: 'The original of this picture is no longer stored, so it cannot be shown here.',
  },
  head: {
    scale:
      'Scale: 2 or more weak, 10 moderate, 100 moderately strong, 1,000 strong, 10,000 very strong.',
    /** The strength of one method, beside that of all. @param numbers - numbers of the places that it marks. */
    alone: (adverb: string, numbers: readonly number[]) =>
      `${adverb} (this method alone${numbers.length === 0 ? '' : `, for ${numbers.length === 1 ? 'no.' : 'nos.'} ${numbers.join(' and ')}`})`,
    maybeMarked: 'Whether the marked part comes from one of these steps is not known.',
    changedToo: 'This does not say whether the picture was changed.',
    byOne: 'the suspicion is based on one method alone',
    /** Why the strength of one method is not that of the result. */
    byOneOfAll:
      'One method alone passed its threshold, which is enough for a suspicion. Together with the others, which find no change, the evidence supports neither side.',
    byAll: 'Taken together, the methods do not reach the threshold for a finding.',
    /** What the traces say, if the file itself declares what the picture is. */
    withoutEntry: (traces: string) => `Leaving that entry aside: ${traces}`,
    tracesOpen: 'Alone, the traces would leave the question undecided.',
    noneWithoutEntry:
      'Apart from that entry, it cannot be judged whether the picture was generated or changed.',
    noRegion: 'none; together, the methods mark no part of the picture',
    outlined:
      'The frames show roughly where the marked areas lie; each area is smaller than its frame.',
    untestedOnDamage: 'None of the files in these tests was damaged.',
    undamaged: 'Ask for the complete, undamaged file.',
    /** How strongly all methods that look for changes support one, taken together. */
    search: {
      real: 'The methods that look for changes give this picture a lower score than they usually give to changed pictures, including those in which they miss the change.',
      fake: 'All methods that look for changes, taken together, give a score more usual in changed than in unchanged pictures.',
    },
    /** For a place that no single method marks. */
    together: 'marked only by all methods combined, so the place is uncertain',
    /** For such a place when there are others that a method marks. */
    further: 'a possible further place, which no single method marks',
    /** Of a picture that cannot be judged: why, before what is never examined. */
    beyond: (things: string) =>
      `Whether AI generated the picture or a part was changed, because it cannot be judged; not part of this examination: ${things}`,
    unchecked: (things: string) => `${things}. Details: annex “Validation and error rates”.`,
    nothingAgainst: 'The measurements found none.',
    cameraNamed: 'The file names a camera, which suggests a photograph after all.',
    damage: (rows: string) =>
      `${rows}. What is missing appears grey or black and can be mistaken for a change.`,
    damageCaps: 'In a damaged file, a change can at most be suspected.',
    misnamed: 'the name has a different extension, which by itself means little',
    /** The trace network's finding, without its figure. */
    traces: {
      real: 'A neural network trained on photographs and generated pictures finds traces (fine patterns in the pixels) like those in a photograph.',
      fake: 'A neural network trained on photographs and generated pictures finds traces (fine patterns in the pixels) like those in a generated picture.',
    },
    /** Alternative explanations of the same evidence. */
    otherwise: {
      real: 'A change that the method missed, an untested generator or a photograph of a screen could look the same.',
      fake: 'The picture may be neither photographed nor generated by AI, but drawn, painted or rendered; and in a photograph, strong noise reduction, portrait effects, retouching and enlargement by software can leave similar traces.',
      changed:
        'Repeated shapes, flat or very bright areas, added writing and in-camera processing can look like a change.',
      declared:
        'The entry may be false: someone may have added it to a drawing, or to a photograph in order to discredit it.',
    },
    program: (program: string, models: string, time: string) =>
      `${program} (${models}), without human judgement; ${time}`,
    reviewer: (name: string) =>
      `${name} is named; the review is open until the section “Review” is signed`,
    noReviewer: 'None named; no person has assessed the result',
  },
  question: {
    short:
      'Did a camera take this picture as it stands, did AI generate it, or was a part of it changed?',
    put: 'The examination asks two questions: was the picture recorded or generated, and was a part of it changed? For each it sets two mutually exclusive propositions against each other and asks how much better the evidence fits one than the other.',
    columns: ['Proposition', 'It states'],
    propositions: [
      ['Recorded', 'A camera recorded the picture.'],
      ['Generated', 'A program generated the picture as a whole.'],
      [
        'Unchanged',
        'No part of the picture was changed. Normal processing in the camera or phone, cropping, scaling, rotating, compressing and re-saving do not count as changes.',
      ],
      [
        'Changed in part',
        'At least one part of the picture was pasted, copied, removed, repainted or generated.',
      ],
    ],
    alternativesTitle: 'Alternative explanations considered',
    alternatives: [
      'A genuine photograph can resemble a generated picture: strong noise reduction, a phone’s portrait effects, retouching, software enlargement and scanning leave similar traces.',
      'A generated picture can resemble a photograph: it may have been photographed from a screen, given artificial noise, or saved and scaled until the traces of its generation were lost; or its generator may be unlike any that the model has learned from.',
      'The picture may be neither, but a drawing, painting, rendering, diagram or screenshot; or it may be too small or too strongly compressed to tell. Where the program recognises this, it makes no statement; a painting or a rendering can go unrecognised and be taken for either.',
      'What the file says about its origin may have been written by anyone: into a generated picture to make it pass for a photograph, or into a photograph to discredit it.',
    ],
    notAsked:
      'Not part of the question: what the picture shows, when and where it was taken and by whom, whether its caption is true, and who, if anyone, generated or altered it. Nothing known about the case was used; if more is known, the evaluation must be reconsidered in that light.',
  },
  item: {
    metadataTitle: 'What the metadata says',
    metadataNote:
      'Statements in the file (camera, time, software) can be changed at will. MD5 is only for identification; SHA-256 and SHA-512 show integrity.',
    noMetadata: 'no camera, time or program is given',
    absent: 'none in the file',
  },
  custody: {
    intro:
      'The events that the program recorded itself, with the SHA-256 of what went in and came out. The program does not know what happened to the file before that.',
    none: 'No chain of custody was recorded for this examination. The program does not know where the file came from or who had handled it before.',
    redrawn:
      'An evidence bundle contains newly generated reports, which include everything up to the time it was made. Their checksums therefore differ from those recorded here for earlier reports.',
    columns: ['Time', 'Event', 'By'],
  },
  integrity: {
    bundle:
      'The evidence bundle of this report contains it together with the heatmaps, the result, all settings and a signature. One command checks it, without a server, a network or an account, and lists every file that has been changed, is missing or has been added:',
    reproduce:
      'Another command runs the examination again and compares every value and every pixel:',
    pdfOnlyTitle: 'If you have only this PDF',
    pdfOnly: [
      'A document cannot contain its own checksum. Compute the SHA-256 of the PDF (Linux: sha256sum FILE; macOS: shasum -a 256 FILE; Windows: certutil -hashfile FILE SHA256) and compare it with the one given in the bundle’s manifest.json.',
      'The file that was examined is identified by its SHA-256 at the foot of every page and in full under “Item examined”; each heatmap file by its checksum here:',
    ],
  },
  metadata: {
    intro:
      'All entries that the program read, printed at the client’s request. Positions are left out.',
    empty: 'The file contains no metadata.',
  },
  signature: {
    assessment: '☐  I agree with the evaluation.   ☐  I disagree, or agree in part; see the notes.',
    /** Facts that SWGDE and ENFSI require but that nobody supplied. */
    missing: (fields: string) =>
      `SWGDE and ENFSI also require a report to state the following, which was not provided: ${fields}.`,
    fields: {
      caseNumber: 'case number',
      exhibit: 'exhibit',
      client: 'client, date and legal basis of the request',
      reviewer: 'examiner and qualifications',
      laboratory: 'laboratory',
      accreditation: 'accreditation (ISO/IEC 17025)',
      secondExaminer: 'review by a second examiner',
      custody: 'receipt of the item and its custody until then',
      disposition: 'what has become of the item since',
    },
    lines: ['Notes', 'Name and qualifications', 'Place and date', 'Signature'],
  },
};

/** The pictures of one claim or story, and the report on them. */
export const cases = {
  order: 'Pictures that need attention come first.',
  pictures: (count: number) => (count === 1 ? '1 picture' : `${count} pictures`),
  linked: 'linked to pictures outside this case',
  noPage: 'Examined only for a result (flagging tier), so it has no page here.',
  pages: 'One page per picture follows. The full report of each is in its evidence bundle.',
};

/** Explains the report's terms for readers without training. */
export const glossary = {
  terms: {
    AUC: 'Area under the ROC curve: how well a method tells two classes apart, from 0.5 (chance) to 1.',
    'Anomaly score':
      'Share of reference pictures that are closer than this one to the pictures the model learned from.',
    'Calibrated probability':
      'A score adjusted on labelled pictures so that about 80% of the pictures scored 0.8 are generated, if half of all pictures are.',
    'Cell, patch':
      'A cell is the smallest area that a heatmap has a value for; a patch is a square of several cells that is judged as a whole.',
    'Content Credentials (C2PA)':
      'Signed statements about the origin of a file and what was done to it, kept in the file itself.',
    'EXIF, IPTC, XMP':
      'Three kinds of metadata in picture files: from devices, agencies and programs.',
    'Gini coefficient':
      'How unevenly deviations are spread over a picture: 0 if they are equal everywhere, near 1 if they are all in a few places.',
    Heatmap:
      'The picture overlaid with colours that show where methods responded, and how strongly.',
    'Likelihood ratio':
      'The probability of the evidence if one proposition is true, divided by its probability if the other is true.',
    'Monte Carlo passes':
      'Repeated assessments, each with different random parts of the model left out; their spread is a lower bound on its uncertainty.',
    'Quantisation table':
      'The 64 step sizes to which a JPEG file rounds its values; they differ between cameras, programs and quality settings.',
    Seed: 'A number that fixes every random choice, so that the same examination can be repeated.',
    'SHA-256, SHA-512, MD5':
      'Checksums. Two files with the same SHA-256 or SHA-512 are the same; two different files with the same MD5 can be made deliberately.',
    Strategy:
      'How much evidence is required before a decision is made: pedantic the most, relaxed the least.',
    Traces:
      'Statistical regularities in the pixels that a sensor, a program or a generator leaves behind.',
  } as Readonly<Record<string, string>>,
};
