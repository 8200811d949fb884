/** The limits of a request, once for the schemas and for the checks behind them. */

/** Width and height of a picture in pixels, both allowed themselves; the setting maxSidePx overrides the larger one. */
export const minSidePx = 65;
export const maxSidePx = 4096;
/** What that setting, and a picture that is examined without the service, may have at most. */
export const largestSidePx = 20_000;

/** Names of analyses, tenants, keys and users, in characters. */
export const maxNameLength = 255;
export const maxCommentLength = 500;
export const maxIdempotencyKeyLength = 255;

/** A picture's file, unless the setting maxUploadBytes overrides it. */
export const maxUploadBytes = 50_000_000;

/** On one page, whatever the request: each is some 10 kB, with up to seven freshly signed sets of URLs. */
export const maxListed = 1000;

/** Seven days, the longest that Signature Version 4 allows. */
export const maxPresignedUrlExpirySeconds = 7 * 24 * 3600;
