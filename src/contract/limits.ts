/** Limits of a request, shared by the schemas and the checks behind them. */

/** Width and height of a picture in pixels, inclusive. */
export const minSidePx = 65;
export const maxSidePx = 4096;

/** What a server accepts: what the API specification says, or everything that this program can examine. */
export const intakes = ['contract', 'everything'] as const;
export type Intake = (typeof intakes)[number];

/** Maximum width and height if the `intake` setting is `everything`, and for pictures examined without a server. */
export const sidesOfEverything = { server: 16_384, local: 20_000 } as const;

/** Maximum width times height, everywhere: what one child process can read within its memory. */
export const maxPixels = 100_000_000;

/** Maximum length in characters of the names of analyses, tenants, keys and users. */
export const maxNameLength = 255;
export const maxCommentLength = 500;
export const maxTokenLength = 16_384;
/** Maximum length of exhibit and examiner; a report prints no more. */
export const maxCaseDataLength = 80;
/** Maximum length of the note on a case, for the same reason. */
export const maxNoteLength = 300;
export const maxThumbnails = 100;
export const maxIdempotencyKeyLength = 255;

/** Maximum size of a picture's file, unless the `maxUploadBytes` setting overrides it. */
export const maxUploadBytes = 50_000_000;

/** Maximum entries on one page, whatever the request: each takes about 10 kB and up to seven new sets of URLs. */
export const maxListed = 1000;

/** Seven days, the maximum of Signature Version 4. */
export const maxPresignedUrlExpirySeconds = 7 * 24 * 3600;
