/** The limits of a request, once for the schemas and for the checks behind them. */

/** Width and height of a picture in pixels, both allowed themselves. */
export const minSidePx = 65;
export const maxSidePx = 4096;

/** What a server takes: what the interface says, or what this program can examine. */
export const intakes = ['contract', 'everything'] as const;
export type Intake = (typeof intakes)[number];

/** Width and height where the setting `intake` is `everything`, and of a picture examined without a server. */
export const sidesOfEverything = { server: 16_384, local: 20_000 } as const;

/** Names of analyses, tenants, keys and users, in characters. */
export const maxNameLength = 255;
export const maxCommentLength = 500;
/** Thumbnails that one answer holds. */
export const maxThumbnails = 100;
export const maxIdempotencyKeyLength = 255;

/** A picture's file, unless the setting maxUploadBytes overrides it. */
export const maxUploadBytes = 50_000_000;

/** On one page, whatever the request: each is some 10 kB, with up to seven freshly signed sets of URLs. */
export const maxListed = 1000;

/** Seven days, the longest that Signature Version 4 allows. */
export const maxPresignedUrlExpirySeconds = 7 * 24 * 3600;
