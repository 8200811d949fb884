/**
 * What a file says about its own origin and history, and whether what it says holds together. It reads bytes and
 * metadata, never a verdict: everything here can be written by anybody, unless a signature that was checked says
 * otherwise, and nothing can be concluded from what is missing.
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
  /** Field of that place, such as `parameters` or `DigitalSourceType`. */
  readonly field: string;
  /** As it stands in the file, printable, cut to 200 characters: foreign text. */
  readonly value: string;
  /** Product name where one is named or plainly recognised: `Stable Diffusion web UI (AUTOMATIC1111)`, `DALL-E`; else null. */
  readonly generator: string | null;
  readonly assurance: Assurance;
}

/** A C2PA manifest store. Integrity and trust are two facts: a forger can sign, but not in another's name. */
export interface ContentCredentials {
  /** `valid`: signature and hashes fit the bytes of this file. `unreadable`: there is a store, but it cannot be parsed. */
  readonly integrity: 'valid' | 'broken' | 'unreadable';
  /** `not-checked` without a trust list. */
  readonly trust: 'trusted' | 'untrusted' | 'not-checked';
  /** Of the list that the signer was looked up in, see `readTrustList`: administrators update theirs. Null without one. */
  readonly trustListSha256: string | null;
  readonly signer: string | null;
  readonly issuer: string | null;
  /** ISO 8601; as the signature claims it. */
  readonly signedAt: string | null;
  /** True when a time-stamp authority's countersignature was found and holds. */
  readonly hasTimestamp: boolean;
  readonly claimGenerator: string | null;
  /** In the order in which they are listed, oldest manifest first. */
  readonly actions: readonly CredentialAction[];
  /** How many manifests the store holds, the active one included: ingredients bring theirs. */
  readonly manifests: number;
  /** Failure status codes of the C2PA specification for the manifest, such as `assertion.dataHash.mismatch`. */
  readonly problems: readonly string[];
  /** Examinations of earlier versions lack them. */
  readonly identities?: readonly CredentialIdentity[];
  /** The authority that stamped the time; when the signer's certificate is valid. Null where the credentials do not say. */
  readonly authority?: string | null;
  readonly validity?: { readonly from: string; readonly to: string } | null;
  /** All status codes that the active manifest was given, and the failures of its ingredients. */
  readonly codes?: readonly string[];
  readonly ingredientProblems?: readonly string[];
}

/**
 * Who takes part in the picture, by an assertion of its own signature (CAWG Identity Assertion 1.1) or of a service that
 * checked accounts and documents.
 */
export interface CredentialIdentity {
  /** A person or an organisation. */
  readonly name: string | null;
  /** Who says so: the issuer of the certificate, or the service. */
  readonly provider: string | null;
  /** `signed`: the signature is valid, but no authority vouches for it. `not-verified`: that takes a connection. */
  readonly state: 'trusted' | 'signed' | 'broken' | 'not-verified';
}

export interface CredentialAction {
  /** Such as `c2pa.created`. */
  readonly action: string;
  readonly software: string | null;
  readonly when: string | null;
  /** IPTC NewsCodes URI. */
  readonly digitalSourceType: string | null;
}

/** One step of the history that editing programs keep in XMP, each program by its own account. */
export interface HistoryStep {
  /** Such as `saved` or `derived`. */
  readonly action: string;
  readonly software: string | null;
  /** ISO 8601, as the program wrote it. */
  readonly when: string | null;
  /** Such as `converted from image/x-canon-cr2 to image/jpeg`. */
  readonly parameters: string | null;
}

/** Which program or device the file names, and what kind of thing that is. */
export interface NamedSoftware {
  /** `firmware`: what runs on the camera or telephone itself, such as an iOS version. */
  readonly kind: 'generator' | 'editor' | 'camera' | 'firmware' | 'platform' | 'unknown';
  readonly name: string;
  readonly place: DeclarationPlace;
}

/** Whose quantisation tables a JPEG carries. */
export interface QuantisationClass {
  /** `libjpeg`: the standard's tables scaled; `custom`: neither these nor any that we know. */
  readonly kind: 'libjpeg' | 'known-software' | 'custom';
  /** Name of the software or camera family, for `known-software`. */
  readonly name: string | null;
  /** For `libjpeg`: the setting, 1..100. */
  readonly quality: number | null;
}

/** Two records of a file that disagree. */
export interface InconsistencyValues {
  /** Between capture and last change. */
  readonly modified_after_capture: { readonly minutes: number };
  readonly created_after_modified: { readonly minutes: number };
  readonly time_in_future: NoValues;
  /** `640 × 480`, pixels. */
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

/** In codes and values. Examinations stored by earlier versions hold sentences in place of the values. */
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
  /** Bytes behind the end of the picture. */
  readonly trailingBytes: number;
  /** What these bytes begin with: `zip`, `jpeg`, `mp4`, ...; null when nothing is known or nothing is there. */
  readonly trailingKind: string | null;
  /** Pictures inside the file, the main one included; thumbnails of EXIF do not count. */
  readonly pictures: number;
}

export interface Provenance {
  readonly declarations: readonly Declaration[];
  readonly credentials: ContentCredentials | null;
  readonly software: readonly NamedSoftware[];
  /** Oldest step first; of a longer history the latest hundred steps. */
  readonly history: readonly HistoryStep[];
  readonly quantisation: QuantisationClass | null;
  readonly inconsistencies: readonly Inconsistency[];
  readonly layout: FileLayout;
  /** All that could not be read of the file. */
  readonly warnings: readonly StoredWarning[];
}

/** Of a file without statements: the value for examinations that were stored before provenance was read. */
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
