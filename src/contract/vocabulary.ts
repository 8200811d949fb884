/** The closed lists of codes used in requests and responses. Imports nothing, so that every module can use it. */

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

export type Bilingual = Readonly<Record<Language, string>>;

export const storageTypes = ['azure', 's3'] as const;
export type StorageType = (typeof storageTypes)[number];

export const actorTypes = ['user', 'api', 'system'] as const;
export type ActorType = (typeof actorTypes)[number];

export const statuses = ['pending', 'processing', 'completed', 'failed'] as const;
export type Status = (typeof statuses)[number];
/** The statusMessage of an analysis until it is started. */
export const notStarted = 'Waiting for the upload of the picture and the start of the analysis.';

export const tiers = ['flagging', 'forensicReporting'] as const;
export type Tier = (typeof tiers)[number];

/** From strictest to loosest: a picture decided under one strategy gets the same decision under every later one. */
export const decisionStrategies = ['pedantic', 'default', 'relaxed'] as const;
export type DecisionStrategy = (typeof decisionStrategies)[number];

export const resultClasses = ['real', 'fake', 'abstain', 'uncertain'] as const;
/** The position in this list is the contract's number: 0 real, 1 fake, 2 abstain, 3 uncertain. */
export type ResultClass = (typeof resultClasses)[number];

export const resultSubClasses = ['ai-generated', 'ai-manipulated', 'manipulated'] as const;
/** The position in this list is the contract's number. Only present with `fake`. */
export type ResultSubClass = (typeof resultSubClasses)[number];

/** Why a picture was not decided. The first group leads to `abstain`, the second to `uncertain`. */
export const reasonCodes = [
  'too_small',
  'too_compressed',
  'no_usable_trace',
  'not_a_photograph',
  'outside_training_domain',
  'margin_within_uncertainty',
  'evidence_below_threshold',
  'unstable_under_resaving',
  'declaration_contradicts_traces',
  'manipulation_suspected',
  'single_weak_method',
] as const;
export type ReasonCode = (typeof reasonCodes)[number];

/** What the decision is based on: traces of the whole picture, a changed part, or what the file declares about itself. */
export const decisionBases = ['traces', 'declaration', 'localisation'] as const;
export type DecisionBasis = (typeof decisionBases)[number];

/** Changes applied to a picture to test whether the verdict holds. */
export const stabilityChanges = ['jpeg-90', 'jpeg-70', 'scale-75', 'scale-50', 'crop-5'] as const;
export type StabilityChange = (typeof stabilityChanges)[number];

/**
 * Verbal scale for the strength of evidence, as the report defines it. The steps follow the likelihood ratio: below 2,
 * up to 10, up to 100, up to 1,000, up to 10,000, and above (ENFSI guideline for evaluative reporting, 2015).
 */
export const strengths = [
  'none',
  'weak',
  'moderate',
  'moderatelyStrong',
  'strong',
  'veryStrong',
] as const;
export type Strength = (typeof strengths)[number];

export const sides = ['real', 'fake', 'neither'] as const;
/** Which side a finding supports; `fake` covers every subclass. */
export type Side = (typeof sides)[number];

/**
 * How far a statement can be trusted. `watermark`: carried by a publicly documented watermark or a visible mark in the
 * pixels. `signed`: the signature is valid, but no authority vouches for the signer.
 */
export const assurances = ['unsigned', 'watermark', 'signed', 'trusted'] as const;
export type Assurance = (typeof assurances)[number];

/** The origin that a file declares. `ai-manipulated`: a composite with generated parts. */
export const declaredOrigins = ['ai-generated', 'ai-manipulated', 'captured'] as const;
export type DeclaredOrigin = (typeof declaredOrigins)[number];

export const declarationPlaces = [
  'c2pa',
  'xmp',
  'iptc',
  'exif',
  'png-text',
  'comment',
  'pixels',
  'visible-mark',
] as const;
export type DeclarationPlace = (typeof declarationPlaces)[number];

/** What an examiner would ask about in a file's records. None of it proves an alteration. */
export const inconsistencyCodes = [
  'modified_after_capture',
  'created_after_modified',
  'time_in_future',
  'exif_size_differs',
  'thumbnail_shape_differs',
  'thumbnail_content_differs',
  'camera_tags_without_camera_tables',
  'maker_note_missing_for_camera',
  'xmp_history_of_editing',
  'gps_time_differs',
] as const;
export type InconsistencyCode = (typeof inconsistencyCodes)[number];

export const reportTypes = ['total', 'range'] as const;

export const keyEnds = ['expired', 'replaced'] as const;

/**
 * `retrying`: the latest attempt failed, and messages are still being sent. `gone`: the receiver returned 410;
 * `failing`: it failed for too long. In both of these cases nothing is sent until a new URL is set.
 */
export const webhookStates = ['none', 'active', 'retrying', 'gone', 'failing'] as const;
export type WebhookState = (typeof webhookStates)[number];

/** `given_up`: no attempt succeeded. */
export const deliveryStates = ['waiting', 'delivered', 'given_up'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** ISO 639 language with an optional ISO 3166 region: only the shape of the codes, not a list of them. */
export const langPattern = '^[a-z]{2,3}(-[A-Z]{2})?$';

/** Questions that an examination does not cover. */
export const notCheckedIds = [
  'invisible_watermarks',
  'local_edits',
  'small_edits',
  'erased_edits',
  'camera_reference',
  'recapture',
  'content',
  'earlier_publication',
  'metadata_claims',
  'remote_credentials',
  'signer_trust',
  'signer_revocation',
  'stability',
] as const;
export type NotCheckedId = (typeof notCheckedIds)[number];

export const defaultSeed = 1337;

export function isKeyOf<Table extends object>(
  table: Table,
  word: PropertyKey,
): word is keyof Table {
  return Object.hasOwn(table, word);
}

/** Picture formats, identified by content and never by file name. The first two are those of the API specification. */
export const contractFormats = ['jpg', 'png'] as const;
export const formats = [
  ...contractFormats,
  ...(['webp', 'heic', 'avif', 'tiff', 'gif', 'bmp', 'jp2', 'jxl', 'raw'] as const),
] as const;
export type Format = (typeof formats)[number];

/** Display names, the same in every language. */
export const formatNames: Readonly<Record<Format, string>> = {
  jpg: 'JPEG',
  png: 'PNG',
  webp: 'WebP',
  heic: 'HEIC',
  avif: 'AVIF',
  tiff: 'TIFF',
  gif: 'GIF',
  bmp: 'BMP',
  jp2: 'JPEG 2000',
  jxl: 'JPEG XL',
  raw: 'RAW',
};

/** The IANA media types; for `raw`, Adobe's own. */
export const mediaTypes: Readonly<Record<Format, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  heic: 'image/heic',
  avif: 'image/avif',
  tiff: 'image/tiff',
  gif: 'image/gif',
  bmp: 'image/bmp',
  jp2: 'image/jp2',
  jxl: 'image/jxl',
  raw: 'image/x-adobe-dng',
};

/** Kinds of picture, in the order of the transformer's outputs. */
export const pictureKinds = [
  'photograph',
  'drawing',
  'rendering',
  'screenshot',
  'page',
  'chart',
] as const;
export type PictureKind = (typeof pictureKinds)[number];
