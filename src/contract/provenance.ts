/**
 * What a file says about its own origin and history, and whether that is consistent. It reads bytes
 * and metadata but reaches no verdict: unless a verified signature says otherwise, anyone can write
 * these statements, and their absence proves nothing.
 */

import type { Evidence } from './evidence.ts';
import type {
  Bilingual,
  DeclarationPlace,
  DeclaredOrigin,
  InconsistencyCode,
} from './vocabulary.ts';

/** The contract describes these types; all text in them comes from the file. */
type Stated = Evidence['provenance'];

/** `value` is untrusted but `printable`; `generator` is a product, if stated or clearly recognisable. */
export type Declaration = Stated['declarations'][number];

/** Integrity and trust differ: a forger can sign, but not in another name. Older results lack optional members. */
export type ContentCredentials = NonNullable<Stated['credentials']>;

/** A person or organisation, attested by their own signature or by a service (CAWG Identity Assertion 1.1). */
export type CredentialIdentity = NonNullable<ContentCredentials['identities']>[number];

export type CredentialAction = ContentCredentials['actions'][number];

/** C2PA actions, without their prefix `c2pa.`, that do not alter what a picture shows. */
const harmlessActions: readonly string[] = [
  ['created', 'opened', 'converted', 'repackaged', 'transcoded', 'published'],
  ['adjustedColor', 'color_adjustments', 'cropped', 'resized', 'resized.proportional'],
  ['orientation', 'edited.metadata', 'watermarked', 'watermarked.bound', 'watermarked.unbound'],
].flat();

/** The first action that may have altered what the picture shows; null if there is none. */
export function firstEdit({ actions }: Pick<ContentCredentials, 'actions'>): string | null {
  const edit = actions.find(({ action }) => {
    return !action.startsWith('c2pa.') || !harmlessActions.includes(action.slice('c2pa.'.length));
  });
  return edit?.action ?? null;
}

/** One step of the history that editing programs keep in XMP, as the program described it. */
export type HistoryStep = Stated['history'][number];

/** A program or device that the file mentions, and its kind. */
export type NamedSoftware = Stated['software'][number];

/** Where the quantisation tables of a JPEG come from. */
export type QuantisationClass = NonNullable<Stated['quantisation']>;

export type FileLayout = Stated['layout'];

/** Values of each kind of inconsistency, such as two records of a file that disagree. */
export interface InconsistencyValues {
  /** Time between capture and last change. */
  readonly modified_after_capture: { readonly minutes: number };
  readonly created_after_modified: { readonly minutes: number };
  readonly time_in_future: NoValues;
  /** In pixels, such as `640 × 480`. */
  readonly exif_size_differs: { readonly stated: string; readonly stored: string };
  readonly thumbnail_shape_differs: NoValues;
  readonly thumbnail_content_differs: NoValues;
  readonly camera_tags_without_camera_tables: { readonly program: string | null };
  readonly maker_note_missing_for_camera: NoValues;
  readonly xmp_history_of_editing: {
    readonly steps: number;
    /** The latest step that names a program. */
    readonly last: Pick<HistoryStep, 'software' | 'when'> | null;
  };
  readonly gps_time_differs: { readonly minutes: number };
}

type NoValues = Readonly<Record<string, never>>;

/** An inconsistency, as a code with values; in examinations stored by earlier versions, sentences instead of values. */
export type Inconsistency = { readonly measures: Readonly<Record<string, number>> } & (
  | {
      readonly [Code in InconsistencyCode]: {
        readonly code: Code;
        readonly values: InconsistencyValues[Code];
      };
    }[InconsistencyCode]
  | { readonly code: InconsistencyCode; readonly statement: Bilingual }
);

/** `history` has at most the latest hundred steps. */
export interface Provenance extends Omit<Stated, 'inconsistencies' | 'warnings'> {
  readonly inconsistencies: readonly Inconsistency[];
  readonly warnings: readonly StoredWarning[];
}

/** Provenance of a file without statements; also for examinations stored before provenance was read. */
export const noProvenance: Provenance = {
  declarations: [],
  credentials: null,
  software: [],
  history: [],
  quantisation: null,
  inconsistencies: [],
  layout: { trailingBytes: 0, trailingKind: null, pictures: 1 },
  warnings: [],
};

export type MetadataPlace = Exclude<DeclarationPlace, 'c2pa' | 'visible-mark'>;

/** Codes, with values, for everything that could not be read or was not stored. */
export interface WarningValues {
  readonly texts_cut: { readonly place: MetadataPlace; readonly characters: number };
  readonly entries_cut: { readonly place: MetadataPlace; readonly entries: number };
  readonly block_too_large: { readonly place: MetadataPlace; readonly bytes: number };
  readonly block_unreadable: { readonly place: MetadataPlace };
  readonly block_read_in_part: { readonly place: MetadataPlace };
  readonly extended_xmp_not_read: NoValues;
  /** Some parts are missing; the others were read. */
  readonly extended_xmp_incomplete: NoValues;
  /** The packet is not the one to which the standard packet refers, or its checksum differs. It was read anyway. */
  readonly extended_xmp_differs: NoValues;
  readonly png_chunks_cut: NoValues;
  /** `keyword` is untrusted text. */
  readonly png_text_not_inflated: { readonly keyword: string };
  readonly thumbnail_unreadable: NoValues;
  readonly credentials_elsewhere: NoValues;
  readonly credentials_removed: NoValues;
  readonly not_read_by_earlier_version: NoValues;
}

export type WarningCode = keyof WarningValues;

export type Warning = {
  readonly [Code in WarningCode]: { readonly code: Code; readonly values: WarningValues[Code] };
}[WarningCode];

/** In examinations from earlier versions, warnings are English sentences. */
export type StoredWarning = Warning | string;

// The terms with which a file declares how its picture was made.

/**
 * What each term declares; null if it means neither a camera nor a trained model: drawings, screenshots, pictures
 * computed by a formula (`algorithmicMedia`), composites of arbitrary parts.
 *
 * @see IPTC NewsCodes, scheme digitalsourcetype (cv.iptc.org/newscodes/digitalsourcetype), including retired terms;
 *   C2PA Technical Specification 2.3, on actions, for its own term, `trainedAlgorithmicData`.
 */
const origins = {
  trainedAlgorithmicMedia: 'ai-generated',
  trainedAlgorithmicData: 'ai-generated',
  compositeWithTrainedAlgorithmicMedia: 'ai-manipulated',
  digitalCapture: 'captured',
  computationalCapture: 'captured',
  negativeFilm: 'captured',
  positiveFilm: 'captured',
  print: 'captured',
  algorithmicMedia: null,
  algorithmicallyEnhanced: null,
  composite: null,
  compositeCapture: null,
  compositeSynthetic: null,
  dataDrivenMedia: null,
  digitalArt: null,
  digitalCreation: null,
  humanEdits: null,
  minorHumanEdits: null,
  screenCapture: null,
  softwareImage: null,
  virtualRecording: null,
} as const satisfies Readonly<Record<string, DeclaredOrigin | null>>;

export type SourceType = keyof typeof origins;

/** Matches the term at the end of a URI of either scheme, after `digsrctype:`, or on its own. */
const written =
  /^(?:https?:\/\/(?:cv\.iptc\.org\/newscodes|c2pa\.org)\/digitalsourcetype\/|digsrctype:|c2pa\.)?([A-Za-z]+)\/?$/;

export function readSourceType(text: string | null): SourceType | null {
  const term = written.exec(text?.trim() ?? '')?.[1]?.toLowerCase();
  const isMeant = (type: string): type is SourceType => type.toLowerCase() === term;
  return Object.keys(origins).find(isMeant) ?? null;
}

/** What the type declares; null if it is unknown, or declares neither origin. */
export function originOfSourceType(text: string | null): DeclaredOrigin | null {
  const type = readSourceType(text);
  return type === null ? null : origins[type];
}
