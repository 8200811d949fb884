import type { InconsistencyCode } from '../../../contract/vocabulary.ts';
import { speak } from '../../text.ts';
import { terms } from '../terms.ts';
import type {
  ContentCredentials,
  InconsistencyValues,
  SourceType,
  WarningCode,
  WarningValues,
} from '../../../contract/provenance.ts';

/** The meaning of each term; follows "digital source type". */
const sourceTypes: Readonly<Record<SourceType, string>> = {
  trainedAlgorithmicMedia: 'created by a trained model (generative AI)',
  trainedAlgorithmicData: 'data from a trained model (generative AI)',
  compositeWithTrainedAlgorithmicMedia: 'composed or edited with a trained model (generative AI)',
  digitalCapture: 'captured from a real scene by a digital camera',
  computationalCapture:
    'captured from a real scene, several exposures or sensors combined by the camera',
  negativeFilm: 'digitised from a film negative',
  positiveFilm: 'digitised from a slide or other film positive',
  print: 'digitised from a print or another original on paper',
  algorithmicMedia: 'computed by a formula or program, without a trained model',
  algorithmicallyEnhanced: 'a picture enhanced by a program',
  composite: 'composed of several pictures or elements of any kind',
  compositeCapture: 'composed of several captures of real scenes',
  compositeSynthetic: 'composed of several elements, at least one of them synthetic',
  dataDrivenMedia: 'drawn from data, such as a chart or map',
  digitalArt: 'art made by a person with digital tools',
  digitalCreation: 'made by a person with digital tools other than generative AI',
  humanEdits: 'a picture that a person edited with tools other than generative AI',
  minorHumanEdits: 'a picture with minor edits by a person, such as cropping or colour correction',
  screenCapture: 'a screenshot or recording of a screen',
  softwareImage: 'made with software, such as a rendering or drawing',
  virtualRecording: 'recorded in a virtual scene, such as a game',
};

const { places, writeSpan } = speak(terms.provenance, 'en');

const inconsistencies = {
  modified_after_capture: ({ minutes }) =>
    `According to its own record, the file was last written ${writeSpan(minutes)} after the picture was taken.`,
  created_after_modified: ({ minutes }) =>
    `According to its own record, the file was last written ${writeSpan(minutes)} before the picture was taken.`,
  time_in_future: () => 'The file gives a time in the future.',
  exif_size_differs: ({ stated, stored }) =>
    `The camera data (EXIF) give a size of ${stated} pixels, but the file has ${stored}: it was scaled or cropped after they were written.`,
  thumbnail_shape_differs: () =>
    'The preview in the camera data (EXIF) has a different shape from the picture: the picture was cropped or rotated after the preview was made.',
  thumbnail_content_differs: () =>
    'The preview in the camera data (EXIF) does not match the picture: one of the two has been replaced or changed.',
  camera_tags_without_camera_tables: ({ program }) =>
    `The file mentions a camera, but its compression tables are those of ${program}, a program: the picture has been re-saved.`,
  maker_note_missing_for_camera: () =>
    'The maker note, which cameras from the stated maker always write, is missing: the camera data were rewritten, or do not come from the camera.',
  xmp_history_of_editing: ({ steps, last }) =>
    `The file keeps a history (XMP) of ${steps === 1 ? 'one step' : `${steps} steps`} in which it was converted or saved${last === null ? '' : `, most recently with ${last.software}${last.when === null ? '' : ` (${last.when.slice(0, 10)})`}`}.`,
  gps_time_differs: ({ minutes }) =>
    `The GPS time and the time of capture are ${writeSpan(minutes)} apart, more than time zones can explain.`,
} satisfies { readonly [Code in InconsistencyCode]: (values: InconsistencyValues[Code]) => string };

type BriefCredentials = Pick<ContentCredentials, 'integrity' | 'signer' | 'trust'>;

/** Why credentials that match the file still cannot be fully trusted. */
export type Flaw = 'test' | 'expired' | 'ingredient' | 'untimed';

const briefTrust: Readonly<Record<ContentCredentials['trust'], string>> = {
  trusted: 'signer on the trust list',
  untrusted: 'signer not confirmed (not on the trust list)',
  'not-checked': 'signer not confirmed (not checked against a trust list)',
};

const briefFlaws: Readonly<Record<Flaw, string>> = {
  test: 'apparently with a test certificate, which vouches for nobody',
  expired: 'the certificate has since expired',
  ingredient: 'an ingredient was altered',
  untimed: 'no time stamp',
};

/** `readWarning` recognises these sentences in stored examinations: add new wordings beside the old ones. */
const warnings = {
  texts_cut: ({ place, characters }) =>
    `${places[place]}: long texts were cut to ${characters} characters.`,
  entries_cut: ({ place, entries }) =>
    `${places[place]}: only the first ${entries} entries were kept.`,
  block_too_large: ({ place, bytes }) =>
    `${places[place]}: the block of ${bytes} bytes is too large and was not read.`,
  block_unreadable: ({ place }) =>
    `${places[place]}: the block contains nothing that could be read.`,
  block_read_in_part: ({ place }) =>
    `${places[place]}: the block is damaged or too long; only a part could be read.`,
  extended_xmp_not_read: () => 'XMP: the extended part was not read.',
  extended_xmp_incomplete: () =>
    'XMP: segments of the extended part are missing; the others were read.',
  extended_xmp_differs: () =>
    'XMP: the extended part does not match its checksum or is not the one that the file refers to; it was read all the same.',
  png_chunks_cut: () => 'PNG: only the first metadata chunks were read.',
  png_text_not_inflated: ({ keyword }) =>
    `PNG: the compressed text of "${keyword}" is broken or too large and was not read.`,
  thumbnail_unreadable: () => 'The EXIF thumbnail cannot be decoded.',
  credentials_elsewhere: () =>
    'The file refers to content credentials that are kept elsewhere; they were not fetched.',
  credentials_removed: () =>
    'The file refers to content credentials inside itself that are no longer there: they were removed, as most programs and services do when they save a picture.',
  not_read_by_earlier_version: () =>
    'An earlier version of the program examined the file; it did not read these facts.',
} satisfies { readonly [Code in WarningCode]: (values: WarningValues[Code]) => string };

/** What a file says about its own origin, and what in it raises questions. */
export const provenance = {
  intro:
    'This is what the file says about itself. Unless a verified signature shows otherwise, anyone could have written it: a camera’s name into a generated picture, or a generator’s name into a genuine photograph. Any declaration may therefore be false, and nothing can be concluded from a missing one.',
  noDeclaration: 'The file declares nothing about how its content was made.',
  columns: ['Declares', 'Where', 'Wording in the file', 'Vouched for'],
  sourceTypes,
  assurances: {
    unsigned: 'by no one',
    watermark: 'by a mark in the pixels, which anyone can put there',
    signed: 'signed, but no one vouches for the signer',
    trusted: 'signed by a signer on the trust list',
  },
  noCredentials: 'The file contains no Content Credentials (signed statements of origin).',
  integrity: {
    valid: 'intact: signature and checksums match the bytes of this file',
    broken: 'broken: file or credentials were changed after signing',
    unreadable: 'cannot be determined: the credentials cannot be read',
  },
  trust: {
    trusted: 'the signer is on the trust list',
    untrusted: 'the signer is not on the trust list',
    'not-checked': 'not checked: no trust list was given',
  },
  identityStates: {
    trusted: 'verified',
    signed: 'the signature is valid, but no authority vouches for it',
    broken: 'the signature does not match',
    'not-verified': 'not verified: that needs a connection',
  },
  timestamp: { present: 'present and valid', absent: 'none: the signing time is only a claim' },
  trustListDate: {
    undated: 'date of the list: the list gives none',
    since: (day: string) =>
      `date of the list: the list gives none; no earlier than ${day}, when its newest certificate became valid`,
  },
  missing: {
    validity: 'a certificate that is still valid (it has expired)',
    timestamp: 'a time stamp from an authority',
    trustList: 'a trust list to look the signer up in',
    revocation: 'proof that the certificate had not been revoked',
    identity: 'a named person or organisation (CAWG identity)',
  },
  /** For content that is declared to be generated. */
  disclosure:
    'Article 50 of Regulation (EU) 2024/1689 (AI Act) requires providers to mark generated content in a machine-readable way (paragraph 2) and deployers to disclose deep fakes (paragraph 4). The file contains an entry that can serve as such a marking. Whether the duty applies, and whether it was met where the picture was shown, are questions of law that this report does not answer.',
  credentialsNote:
    'Integrity and trust are two separate facts: anyone can sign, even under someone else’s name; only the trust list shows whose name was checked.',
  /** Short forms that follow "the file says". */
  brief: {
    credentials: ({ integrity, signer, trust }: BriefCredentials, flaws: readonly Flaw[]) => {
      if (integrity === 'unreadable') return 'Content Credentials (C2PA) that cannot be read';
      const name = signer ?? 'an unnamed signer';
      const by = trust === 'trusted' || signer === null ? `by ${name}` : `under the name ${name}`;
      const test = flaws.includes('test') ? ` (${briefFlaws.test})` : '';
      return integrity === 'broken'
        ? `Content Credentials (C2PA) signed ${by}${test}, but the file no longer matches them (re-saving alone can cause this)`
        : `Content Credentials (C2PA), unaltered since they were signed ${by}: ${[briefTrust[trust], ...flaws.map((flaw) => briefFlaws[flaw])].join('; ')}`;
    },
    declares: (origin: string, place: string) => `${origin} (according to ${place})`,
    noCredentials: 'no Content Credentials (signed statements of origin, C2PA)',
    edits: (steps: string) => `declared steps: ${steps}`,
    editors: (names: readonly string[], more: number) =>
      `editing ${names.length === 1 ? 'program' : 'programs'} ${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`,
    generators: (names: readonly string[]) =>
      `image ${names.length === 1 ? 'generator' : 'generators'} ${names.join(', ')}`,
    /** @param last - program and date of the latest step; empty if it names neither. */
    history: (steps: number, last: string) =>
      `editing history of ${steps === 1 ? 'one step' : `${steps} steps`}${last === '' ? '' : `, the last with ${last}`}`,
    camera: (name: string) => `camera ${name}`,
  },
  /** The actions that XMP defines (`stEvt:action`), if they differ from the words; others are shown unchanged. */
  historyActions: { version_updated: 'version updated' } as Readonly<Record<string, string>>,
  warnings,
  inconsistenciesNote: 'None of them proves an alteration; each raises a question.',
  noInconsistencies: 'None of those checked for was found.',
  inconsistencies,
};
