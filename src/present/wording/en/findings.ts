import type { InconsistencyCode } from '../../../contract/vocabulary.ts';
import type {
  Copies,
  CredentialVouching,
  FindingCode,
  FindingValues,
  SkipReason,
} from '../../../detectors/statements.ts';
import { capitalised, kept, nameIn, speak, withDetails } from '../../text.ts';
import { terms } from '../terms.ts';
import { provenance } from './provenance.ts';

const {
  declarationPlaces,
  list,
  pictureKinds,
  places,
  quote,
  trailingKinds,
  writeScore,
  writeShare,
} = speak(terms.findings, 'en');
const { origins, software: softwareKinds } = speak(terms.provenance, 'en');

const contradictions: Readonly<Record<InconsistencyCode, string>> = {
  modified_after_capture: 'a saving time after the capture',
  created_after_modified: 'a saving time before the capture',
  time_in_future: 'a time in the future',
  exif_size_differs:
    'a picture size in the EXIF data that differs, as it does after scaling or cropping',
  thumbnail_shape_differs: 'a thumbnail of a different shape',
  thumbnail_content_differs: 'a thumbnail that shows something else',
  camera_tags_without_camera_tables: 'a camera’s name with a program’s compression tables',
  maker_note_missing_for_camera: 'a missing maker note',
  xmp_history_of_editing: 'an editing history',
  gps_time_differs: 'a GPS time that differs',
};

const writers: Readonly<Record<FindingValues['more_in_file']['writtenBy'], string>> = {
  cameras: 'phones and cameras write such files',
  others: 'no camera adds this, so something else did',
  anything: 'cameras, programs and services all leave such data behind',
};

function inBrackets(name: string | null): string {
  return name === null ? '' : ` (${quote(name)})`;
}

function writeSigner(signer: string | null): string {
  return signer === null ? 'an unnamed signer' : quote(signer);
}

const vouchings: Readonly<Record<Exclude<CredentialVouching['by'], 'edited_capture'>, string>> = {
  trusted_signer: 'the signer is on the trust list.',
  trusted_capture:
    'the signer is on the trust list. But a camera can also capture a screen or a print.',
  no_trust_list:
    'the signer was not checked against a trust list, so anyone may have signed under this name.',
  unlisted_signer: 'not every signer is on the trust list, and anyone can sign under this name.',
};

function writeVouching(vouching: CredentialVouching): string {
  if (vouching.by !== 'edited_capture') return vouchings[vouching.by];
  return `the signer is on the trust list. But they also list a later step that may have changed what it shows (${quote(vouching.edit)}), so the capture supports neither side.`;
}

function writeTrailing(bytes: number, kind: string | null): string {
  const what = nameIn(trailingKinds, kind ?? '', 'unknown data');
  const follow = bytes === 1 ? '1 byte follows' : `${bytes.toLocaleString('en')} bytes follow`;
  return `${follow} the end of the picture (${what})`;
}

function writeCopies({ place, otherPlace, pairs = 1 }: Copies): string {
  const apart = `one ${places[place]} and one ${places[otherPlace]},`;
  const where = place === otherPlace ? `both ${places[place]},` : apart;
  const more =
    pairs > 1 ? ` (the clearest of ${pairs} such pairs; the method’s map shows all)` : '';
  return `Two regions${more}, ${where}`;
}

/** ", one turned by 30 degrees and 1.2 times as large as the other", or an empty string. */
function writeMotion({ isMirrored, turnDegrees, factor }: Copies): string {
  const told = kept([
    isMirrored ? 'mirrored' : turnDegrees > 0 && `turned by ${turnDegrees} degrees`,
    factor > 1 && `${factor.toFixed(1)} times as wide and high as the other`,
  ]);
  return told.length === 0 ? '' : `, one ${told.join(' and ')}`;
}

/** Findings by code, one sentence each, for readers without training. */
const statements = {
  generated_with_probability: ({ probability }) =>
    `A neural network trained on photographs and generated pictures rates the traces at ${writeScore(probability)} on a scale from 0 (photograph) to 1 (generated).`,

  size_of_generators: ({ width, height, isScaled, ratio, generated, photographs }) => {
    const size = `${width.toLocaleString('en')} × ${height.toLocaleString('en')} pixels`;
    const used = isScaled
      ? 'sizes of these proportions and others like them'
      : 'this size and others like it';
    return `The picture measures ${size}. Image generators use ${used}; these occur in ${generated.found} of the ${generated.of} sources of generated pictures collected for this program, and in ${photographs.found || 'none'} of the ${photographs.of} sources of photographs. Anyone can crop or scale a photograph to one, so its likelihood ratio is set to only ${ratio}.`;
  },

  photograph: () => 'Edges and flat areas are consistent with a photograph.',
  one_flat_area: () =>
    'The picture is one flat area; it contains nothing that a photograph would normally show.',
  drawing: () =>
    'Sharp edges adjoin perfectly flat areas, so the program classes the picture as a drawing, diagram, page of text or screenshot, not a photograph; it may be wrong.',
  looks_like: ({ kind }) =>
    `The program classes the picture as ${pictureKinds[kind]}, not a photograph: a neural network trained on both finds its overall look closer to the former; it may be wrong.`,

  credentials_unreadable: () =>
    'The file contains Content Credentials (C2PA) that cannot be read; they say nothing for or against the picture.',
  credentials_broken: ({ signer }) =>
    `The file contains statements of origin (Content Credentials, C2PA) signed by ${writeSigner(signer)}, but the file is no longer what was signed: it has been changed since, by an edit or merely by being re-saved.`,
  credentials_without_origin: ({ signer }) =>
    `Statements of origin (Content Credentials, C2PA) signed by ${writeSigner(signer)} match the file; they declare neither a capture nor generated content.`,
  credentials_declare_origin: ({ signer, origin, generator, vouching }) =>
    `Statements of origin (Content Credentials, C2PA) signed by ${writeSigner(signer)} match the file and say that it is ${origins[origin]}${inBrackets(generator)}; ${writeVouching(vouching)}`,

  origin_declared: ({ origin, place, field, generator }) =>
    `The file is labelled as ${origins[origin]}${inBrackets(generator)} in ${declarationPlaces[place]} (field ${quote(field)}); no trusted signature confirms the entry, so anyone could have written it.`,
  watermark_found: ({ generator }) =>
    `The pixels contain the open watermark of ${quote(generator ?? 'a generator')}: its published message was read from them. It does not occur by chance, but anyone can embed it.`,
  visible_mark_found: ({ generator }) =>
    `The picture shows, at the lower right, the mark that ${quote(generator ?? 'a generator')} puts on its pictures. Anyone can put it into a picture.`,
  source_type_of_neither_side: () =>
    'The file gives a digital source type that means neither a camera nor a trained model.',
  source_type_named: ({ type }) =>
    type === null
      ? 'The file gives a digital source type that the IPTC does not list.'
      : `The file gives the digital source type ${quote(type)}: ${provenance.sourceTypes[type]}. This means neither a camera nor a trained model.`,
  software_named: ({ software }) => {
    const names = list(
      software.map(({ kind, name }) => withDetails(quote(name), [softwareKinds[kind]])),
    );
    return `The file mentions ${names}. Anyone can write such a name, and it does not show what was done to the picture.`;
  },

  records_contradict: ({ codes }) =>
    `The file’s own records raise questions: ${list(codes.map((code) => contradictions[code]))}. This need not mean that the picture was altered.`,
  records_agree: () =>
    'The file’s records of times, sizes and thumbnail do not contradict one another. Metadata can be rewritten, so this proves nothing.',
  tables_of_libjpeg: ({ quality }) =>
    `The quantisation tables are the standard ones for quality ${quality}, which most programs and services and some cameras use.`,
  tables_of_program: ({ name }) =>
    `The quantisation tables are those of ${name}: a program saved the picture, not a camera.`,
  tables_of_their_own: () =>
    'The quantisation tables are not the standard ones; many cameras and some programs use their own.',
  more_in_file: ({ trailingBytes, trailingKind, furtherPictures, writtenBy }) => {
    const further = furtherPictures === 1 ? 'one more picture' : `${furtherPictures} more pictures`;
    const parts = kept([
      trailingBytes > 0 && writeTrailing(trailingBytes, trailingKind),
      furtherPictures > 0 && `the file contains ${further}`,
      writers[writtenBy],
    ]);
    return `${capitalised(parts.join('; '))}.`;
  },

  region_processed_apart: ({ place }) =>
    `A neural network trained on changed pictures marks a region ${places[place]}: the traces of processing there differ from those in the rest.`,
  changed_nowhere: () =>
    'A neural network trained on changed pictures finds no region that differs from the rest by more than is usual in untouched pictures.',
  changed_somewhere: () =>
    'A neural network trained on changed pictures rates the picture as changed, but cannot say where.',

  copies: (copies) =>
    `${writeCopies(copies)} match the way an original and its copy would${writeMotion(copies)}; this alone does not show which is the original.`,
  copies_or_repetition: (copies) =>
    `${writeCopies(copies)} look alike${writeMotion(copies)}, as copies do; but repeated objects can look alike too.`,
  repeats_throughout: () =>
    'Many parts of the picture look alike, as windows, tiles or printed letters do. A copied part would not stand out among them.',
  no_copies: () =>
    'No two regions of the picture are so similar that one must be a copy of the other.',
  no_copies_where_compared: ({ comparedShare }) => {
    const about = comparedShare < 0.005 ? '' : 'about ';
    return `In the part of the picture with enough structure to be compared (${about}${writeShare(comparedShare)}), no two regions are so similar that one must be a copy of the other; a copy in the rest would go unnoticed.`;
  },

  word_stands_out: ({ place, wrongly, unchanged }) =>
    `A word or number ${places[place]} differs in noise, sharpness or traces of saving from the words like it, as happens when it is typed or copied in afterwards. A print by another machine can look the same: in tests, ${wrongly} of ${unchanged} unchanged documents had such a word.`,
  words_agree: () =>
    'No word differs from the words like it by more than is usual on untouched pages.',

  region_saved_once: ({ place }) =>
    `An earlier version of the picture was saved as JPEG, but a region ${places[place]} shows no trace of that save, as happens when a part is pasted in or retouched afterwards.`,
  saved_twice: () =>
    'The picture has been saved as JPEG at least once before, and no region differs in this respect.',

  thumbnail_differs: ({ place }) =>
    `The embedded thumbnail differs from the picture in a region ${places[place]}.`,
  thumbnail_lacks_strip: ({ share }) =>
    `The embedded thumbnail differs from the picture only in a strip along the edge (${writeShare(share)} of the picture). Cameras that write the date there do so after making the thumbnail, so this proves nothing.`,
  thumbnail_agrees: () =>
    'The embedded thumbnail matches the picture everywhere. Programs often write a new one, so this proves nothing.',

  error_level_shown: () =>
    'The error level map shows where one more JPEG save would change the picture most. It is for viewing only and plays no part in the verdict: fine texture, edges and earlier saves affect it as much as changes do.',
} satisfies { readonly [Code in FindingCode]: (values: FindingValues[Code]) => string };

const skips: Readonly<Record<SkipReason, string>> = {
  no_credentials:
    'The file contains no Content Credentials (C2PA). Most files contain none, so this means nothing.',
  no_declaration: 'The file declares no origin. Most files declare none, so this means nothing.',
  no_software_named:
    'The file mentions no program and no camera. Services often remove such names, so this means nothing.',
  no_metadata:
    'The file has no metadata that could be inconsistent. Services often remove metadata, so this means nothing.',
  no_quantisation_tables:
    'Not applicable: this is a {format} file, and only JPEG files have quantisation tables.',
  size_of_no_generator: 'Not a size typical of image generators, which means nothing.',
  nothing_else_in_file: 'The file contains one picture and nothing after it.',
  too_small_for_drawings: 'The picture is too small to tell a drawing from a photograph.',
  no_localisation_network: 'No localisation network was run.',
  too_small_for_copies: 'The picture is too small to search for repeated parts.',
  too_smooth_for_copies: 'The picture is too smooth to tell a copied part from any other.',
  too_few_words: 'The picture has too few words for one of them to stand out.',
  too_few_blocks: 'The picture has too few blocks of 8x8 pixels to tell one JPEG save from two.',
  no_earlier_grid: 'The pixels show no grid of an earlier JPEG save.',
  no_earlier_save:
    'No earlier JPEG save can be detected: there was none, the last save was too coarse, or the picture was scaled or cropped in between.',
  thumbnail_missing: 'The file has no thumbnail. Services often remove it, so this means nothing.',
  thumbnail_unreadable: 'The embedded thumbnail cannot be read.',
  thumbnail_of_other_shape:
    'The thumbnail has a different shape from the picture, so the two cannot be compared region by region.',
  thumbnail_too_even:
    'The thumbnail or the picture is too uniform to be compared region by region.',
  thumbnail_of_other_content:
    'The thumbnail shows a different picture altogether, so individual areas cannot be compared.',
};

/** Translations of the English words in a finding's source; empty, because this is English. */
const sources: Readonly<Record<string, string>> = {};

/** What the methods that look for changed parts mark together. */
const changedPart = {
  marked: (share: string, place: string, p: string) =>
    `The methods that look for changed parts mark a region of ${share} of the picture, ${place}; together they estimate the probability that a part was changed at ${p}.`,
  /** @param numbered - the places with their numbers. */
  markedSeveral: (numbered: string, p: string) =>
    `The methods that look for changed parts mark several places (${numbered}); together they estimate the probability that a part was changed at ${p}.`,
  unmarked: (p: string) =>
    `The methods that look for changed parts together mark no region; they estimate the probability that a part was changed at ${p}.`,
};

/** How many of the changes that were tried led to each outcome, and the range of the probability of generation. */
type StabilityCounts = Record<'same' | 'open' | 'other', number> & Record<'low' | 'high', string>;

const stability = {
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
    return `To test the traces found in the picture as a whole, it was re-saved, scaled or cropped in ${tried} ways: ${list(told)}; the probability of generation then ${range}.`;
  },
};

export const findings = {
  statements,
  skips,
  sources,
  contradictions,
  writers,
  vouchings,
  changedPart,
  stability,
};
