/**
 * What a bundle is made of: names, their order and the bounds of what is read. A bundle of an earlier version must stay
 * verifiable, so a change here is a new format, never another meaning of this one.
 */

import type { MapName } from '../engine/result.ts';
import type { Format } from '../image/picture.ts';
import type { Language } from '../contract/vocabulary.ts';

export const bundleFormat = 'forensics-evidence-bundle/1';

/** The two files that cannot stand in the list of files: the list itself, and the signature over it. */
export const manifestFile = 'manifest.json';
export const signatureFile = 'manifest.sig';

export const publicKeyFile = 'public-key.pem';
export const sumsFile = 'SHA256SUMS';
export const readmeFiles = { en: 'README.txt', de: 'LIESMICH.txt' } as const;
export const resultFile = 'result.json';
export const settingsFile = 'settings.json';
export const custodyFile = 'custody.json';
export const modelFile = 'model.json';
export const textsFile = 'texts.json';
export const trustListFile = 'trust-list.pem';

export const reportFile = (language: Language) => `report-${language}.pdf`;
export const heatmapFile = (name: MapName) => `heatmap-${name}.png`;
export const mapFile = (name: MapName) => `map-${name}.png`;
/** Not under its own name: that may be anything, and is kept in the list instead. */
export const originalFile = (format: Format) => `original.${format}`;

/** Twice what the largest picture that can be examined makes. */
export const maxBundleBytes = 1_000_000_000;
export const maxBundleFiles = 64;
