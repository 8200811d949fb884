/** What a request may hold at most, once for the schemas and for the checks behind them. */

/** Width and height of a picture in pixels, both allowed themselves. */

export const minSidePx = 65;
export const maxSidePx = 4096;

/** Names of analyses, tenants, keys, users, tags and projects, in characters. */
export const maxNameLength = 255;
export const maxCommentLength = 500;

/** On one page, whatever is asked for: each is some 10 kB, with up to seven freshly signed sets of URLs. */
export const maxListed = 1000;
