/**
 * What a file says about its own origin and history, and whether that is consistent. It reads bytes and metadata but
 * reaches no verdict: anyone can write these statements, unless a verified signature says otherwise, and their absence
 * proves nothing.
 */

import type {
  Assurance,
  Bilingual,
  DeclarationPlace,
  DeclaredOrigin,
  InconsistencyCode,
} from '../contract/vocabulary.ts';
import type { StoredWarning } from '../image/metadata.ts';

export interface Declaration {
  readonly origin: DeclaredOrigin;
  readonly place: DeclarationPlace;
  /** Field name, such as `parameters` or `DigitalSourceType`. */
  readonly field: string;
  /** Untrusted text from the file, made printable and truncated to 200 characters. */
  readonly value: string;
  /**
   * Product name if it is given or clearly recognisable, such as `Stable Diffusion web UI (AUTOMATIC1111)` or `DALL-E`;
   * otherwise null.
   */
  readonly generator: string | null;
  readonly assurance: Assurance;
}

/** A C2PA manifest store. Integrity and trust are separate facts: a forger can sign, but not in someone else's name. */
export interface ContentCredentials {
  /** `valid`: signature and hashes match the bytes of this file. `unreadable`: the store cannot be parsed. */
  readonly integrity: 'valid' | 'broken' | 'unreadable';
  /** `not-checked` if there is no trust list. */
  readonly trust: 'trusted' | 'untrusted' | 'not-checked';
  /** Digest of the trust list used, because administrators update theirs; see `readTrustList`. Null without a list. */
  readonly trustListSha256: string | null;
  /** Date (ISO 8601) on which its newest certificate became valid. Absent in examinations from earlier versions. */
  readonly trustListSince?: string | null;
  readonly signer: string | null;
  readonly issuer: string | null;
  /** ISO 8601, as claimed by the signature. */
  readonly signedAt: string | null;
  /** True if a time-stamp authority countersigned and the countersignature is valid. */
  readonly hasTimestamp: boolean;
  readonly claimGenerator: string | null;
  /** As listed, oldest manifest first. */
  readonly actions: readonly CredentialAction[];
  /** Number of manifests in the store, including the active one and those of ingredients. */
  readonly manifests: number;
  /** C2PA failure status codes for the manifest, such as `assertion.dataHash.mismatch`. */
  readonly problems: readonly string[];
  /** Absent in examinations from earlier versions. */
  readonly identities?: readonly CredentialIdentity[];
  /** The time-stamp authority, and the signer's certificate's validity period. Null if the credentials have none. */
  readonly authority?: string | null;
  readonly validity?: { readonly from: string; readonly to: string } | null;
  /** All status codes of the active manifest, and the failures of its ingredients. */
  readonly codes?: readonly string[];
  readonly ingredientProblems?: readonly string[];
}

/**
 * A person or organisation involved in the picture, attested by their own signature (CAWG Identity Assertion 1.1) or by
 * a service that verified accounts and documents.
 */
export interface CredentialIdentity {
  readonly name: string | null;
  /** Who attests it: the issuer of the certificate, or the service. */
  readonly provider: string | null;
  /**
   * `signed`: the signature is valid, but no authority vouches for it. `not-verified`: this would need a connection.
   */
  readonly state: 'trusted' | 'signed' | 'broken' | 'not-verified';
}

export interface CredentialAction {
  /** C2PA action, such as `c2pa.created`. */
  readonly action: string;
  readonly software: string | null;
  readonly when: string | null;
  /** IPTC NewsCodes URI. */
  readonly digitalSourceType: string | null;
}

/** One step of the history that editing programs keep in XMP, as each program reported it. */
export interface HistoryStep {
  /** Action, such as `saved` or `derived`. */
  readonly action: string;
  readonly software: string | null;
  /** ISO 8601, as written by the program. */
  readonly when: string | null;
  /** Details, such as `converted from image/x-canon-cr2 to image/jpeg`. */
  readonly parameters: string | null;
}

/** A program or device that the file mentions, and its kind. */
export interface NamedSoftware {
  /** `firmware`: software running on the camera or phone itself, such as an iOS version. */
  readonly kind: 'generator' | 'editor' | 'camera' | 'firmware' | 'platform' | 'unknown';
  readonly name: string;
  readonly place: DeclarationPlace;
}

/** Origin of a JPEG's quantisation tables. */
export interface QuantisationClass {
  /** `libjpeg`: scaled standard tables; `custom`: neither these nor any known ones. */
  readonly kind: 'libjpeg' | 'known-software' | 'custom';
  /** Software or camera family, for `known-software`. */
  readonly name: string | null;
  /** Quality setting 1..100, for `libjpeg`. */
  readonly quality: number | null;
}

/** Values of each kind of contradiction between two records of a file. */
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
    /** The latest step that mentions a program. */
    readonly last: Pick<HistoryStep, 'software' | 'when'> | null;
  };
  readonly gps_time_differs: { readonly minutes: number };
}

type NoValues = Readonly<Record<string, never>>;

/** A contradiction as a code with values. Examinations stored by earlier versions hold sentences instead of values. */
export type Inconsistency = CodedInconsistency | StoredSentence;

type CodedInconsistency = {
  readonly [Code in InconsistencyCode]: {
    readonly code: Code;
    readonly values: InconsistencyValues[Code];
    readonly measures: Readonly<Record<string, number>>;
  };
}[InconsistencyCode];

interface StoredSentence {
  readonly code: InconsistencyCode;
  readonly statement: Bilingual;
  readonly measures: Readonly<Record<string, number>>;
}

export interface FileLayout {
  /** Number of bytes after the end of the picture. */
  readonly trailingBytes: number;
  /** Format of these bytes by their signature: `zip`, `jpeg`, `mp4`, ...; null if it is unknown or there are none. */
  readonly trailingKind: string | null;
  /** Number of pictures in the file, including the main one but not EXIF thumbnails. */
  readonly pictures: number;
}

export interface Provenance {
  readonly declarations: readonly Declaration[];
  readonly credentials: ContentCredentials | null;
  readonly software: readonly NamedSoftware[];
  /** Oldest step first, limited to the latest hundred. */
  readonly history: readonly HistoryStep[];
  readonly quantisation: QuantisationClass | null;
  readonly inconsistencies: readonly Inconsistency[];
  readonly layout: FileLayout;
  /** Everything in the file that could not be read. */
  readonly warnings: readonly StoredWarning[];
}

/** Provenance of a file without statements; also used for examinations stored before provenance was read. */
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
