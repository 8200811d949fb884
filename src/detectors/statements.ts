/**
 * Every statement that a method can make about a picture, as codes with values. There are no words here: the `present`
 * module has a sentence for each code in each language, and the types below ensure that none is missing. Stored
 * examinations contain these codes, so a released code must not be removed.
 */

import type {
  DeclarationPlace,
  DeclaredOrigin,
  InconsistencyCode,
  PictureKind,
} from '../contract/vocabulary.ts';
import type { NamedSoftware, SourceType } from '../contract/provenance.ts';
import type { Area, AreaPlace } from './regions.ts';

/** For statements that are the same for every picture. */
type NoValues = Readonly<Record<string, never>>;

export interface Counted {
  readonly found: number;
  readonly of: number;
}

/** Names taken from a file are untrusted text, exactly as in the file. */
export interface FindingValues {
  readonly generated_with_probability: {
    /** Probability 0..1, and its standard deviation. */
    readonly probability: number;
    readonly spread: number;
    readonly patches: number;
  };

  readonly size_of_generators: {
    /** In pixels. */
    readonly width: number;
    readonly height: number;
    /** Whether it has only the proportions of a size that generators use. */
    readonly isScaled: boolean;
    /** The likelihood ratio that it counts as. */
    readonly ratio: number;
    /** In how many sources, of all sources of a class, pictures of such sizes occur. */
    readonly generated: Counted;
    readonly photographs: Counted;
  };

  readonly photograph: NoValues;
  readonly one_flat_area: NoValues;
  readonly drawing: NoValues;
  readonly looks_like: { readonly kind: Exclude<PictureKind, 'photograph'> };

  readonly credentials_unreadable: NoValues;
  readonly credentials_broken: { readonly signer: string | null };
  readonly credentials_without_origin: { readonly signer: string | null };
  readonly credentials_declare_origin: {
    readonly signer: string | null;
    readonly origin: DeclaredOrigin;
    readonly generator: string | null;
    readonly vouching: CredentialVouching;
  };

  readonly origin_declared: {
    readonly origin: DeclaredOrigin;
    readonly place: DeclarationPlace;
    readonly field: string;
    readonly generator: string | null;
  };
  readonly watermark_found: { readonly generator: string | null };
  readonly visible_mark_found: { readonly generator: string | null };
  /** Occurs only in examinations from earlier versions. */
  readonly source_type_of_neither_side: NoValues;
  /** `type` is null if the text is not a known source type. */
  readonly source_type_named: { readonly type: SourceType | null };
  readonly software_named: { readonly software: readonly Pick<NamedSoftware, 'kind' | 'name'>[] };

  readonly records_contradict: { readonly codes: readonly InconsistencyCode[] };
  readonly records_agree: NoValues;
  readonly tables_of_libjpeg: { readonly quality: number | null };
  readonly tables_of_program: { readonly name: string | null };
  readonly tables_of_their_own: NoValues;
  readonly more_in_file: {
    readonly trailingBytes: number;
    readonly trailingKind: string | null;
    readonly furtherPictures: number;
    readonly writtenBy: 'cameras' | 'others' | 'anything';
  };

  readonly region_processed_apart: Area;
  readonly changed_nowhere: NoValues;
  readonly changed_somewhere: NoValues;

  readonly copies: Copies;
  readonly copies_or_repetition: Copies;
  /** Windows, tiles, letters: among these, a copy would not stand out. */
  readonly repeats_throughout: NoValues;
  readonly no_copies: NoValues;
  /** Copies in areas too smooth to compare cannot be seen. */
  readonly no_copies_where_compared: { readonly comparedShare: number };

  /** How many unchanged documents were tested, and how many of them had such a word. */
  readonly word_stands_out: Area & { readonly unchanged: number; readonly wrongly: number };
  readonly words_agree: NoValues;

  readonly region_saved_once: Area;
  readonly saved_twice: NoValues;

  readonly thumbnail_differs: Area;
  readonly thumbnail_lacks_strip: Area;
  readonly thumbnail_agrees: NoValues;

  readonly error_level_shown: NoValues;
}

/** Whether the signer is on the trust list, and what was done to a capture later. */
export type CredentialVouching =
  | { readonly by: 'trusted_signer' | 'trusted_capture' | 'unlisted_signer' | 'no_trust_list' }
  | { readonly by: 'edited_capture'; readonly edit: string };

/** Two similar regions, and the transform from one to the other. */
export interface Copies {
  /** How many such pairs were found, as in the finding's measures; if absent, one. */
  readonly pairs?: number;
  readonly place: AreaPlace;
  readonly otherPlace: AreaPlace;
  /** Mean share of the two regions, 0..1 of the picture; a coarse measure. */
  readonly share: number;
  readonly isMirrored: boolean;
  /** Whole degrees; 0 if the rotation is within fitting error. */
  readonly turnDegrees: number;
  /** Size of the larger region relative to the smaller; 1 if the difference is within fitting error. */
  readonly factor: number;
}

export type FindingCode = keyof FindingValues;
export type FindingStatement = {
  readonly [Code in FindingCode]: { readonly code: Code; readonly values: FindingValues[Code] };
}[FindingCode];

export type SkipReason =
  | 'size_of_no_generator'
  | 'no_credentials'
  | 'no_declaration'
  | 'no_software_named'
  | 'no_metadata'
  | 'no_quantisation_tables'
  | 'nothing_else_in_file'
  | 'too_small_for_drawings'
  | 'no_localisation_network'
  | 'too_small_for_copies'
  | 'too_smooth_for_copies'
  | 'too_few_words'
  | 'too_few_blocks'
  | 'no_earlier_grid'
  | 'no_earlier_save'
  | 'thumbnail_missing'
  | 'thumbnail_unreadable'
  | 'thumbnail_of_other_shape'
  | 'thumbnail_too_even'
  | 'thumbnail_of_other_content';
