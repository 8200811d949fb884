/** A hand-made examination for the tests of this module, with every field filled. */

import type { ReasonCode, ResultClass } from '../../../src/contract/vocabulary.ts';
import type { CellMaps, Examination, MapName } from '../../../src/detectors/result.ts';
import type { Picture, PictureFacts } from '../../../src/image/picture.ts';
import {
  type ContentCredentials,
  type Declaration,
  noProvenance,
} from '../../../src/contract/provenance.ts';
import type { SeenBefore } from '../../../src/contract/seen-before.ts';
import type { ReportItem } from '../../../src/present/report-item.ts';
import { drawScene } from '../../fixtures/pictures.ts';

export const item: ReportItem = {
  name: 'Straßenszene.jpg',
  analysisId: null,
  examinedAt: new Date('2026-03-01T12:00:00.500Z'),
};

/** The same picture, uploaded before. */
export const seen: SeenBefore = {
  id: 'old',
  name: 'old.jpg',
  projectId: '4099',
  createdDate: '2026-03-02T10:00:00.000Z',
  reasons: ['picture'],
  alignment: { isMirrored: false, scale: 1, left: 0, top: 0 },
  likeness: 0.9,
};

/** By the same camera, but another picture. */
export const seenByCamera: SeenBefore = {
  ...seen,
  reasons: ['camera'],
  alignment: null,
  likeness: null,
};

/** Intact, with a signer that was checked against no list. */
export const credentials: ContentCredentials = {
  integrity: 'valid',
  trust: 'not-checked',
  trustListSha256: null,
  signer: 'Example Camera',
  issuer: null,
  signedAt: null,
  hasTimestamp: false,
  claimGenerator: null,
  actions: [],
  manifests: 1,
  problems: [],
};

const points = Array.from({ length: 21 }, (_, at) => at / 10 - 1);

/** Of held-out pictures, without the prior. */
export const ratios = {
  recorded: '2026-11-27',
  supporting: 100,
  opposing: 100,
  calibration: { pictures: 200, sources: 50 },
  cllr: 0.4,
  lower: 1 / 20,
  upper: 25,
  tippett: { supporting: points, opposing: points },
};

/** Unsigned, as generators write it. */
export const declaration: Declaration = {
  origin: 'ai-generated',
  place: 'xmp',
  field: 'DigitalSourceType',
  value: 'trainedAlgorithmicMedia',
  generator: null,
  assurance: 'unsigned',
};

/** Decided by what the file says about itself. */
export function makeDeclared(base: Examination, ...declarations: readonly Declaration[]) {
  return altered(base, { decision: { basis: 'declaration' }, provenance: { declarations } });
}

type Parts = {
  readonly [Part in 'facts' | 'decision' | 'manipulation' | 'provenance']?: Partial<
    NonNullable<Examination[Part]>
  >;
};

/** The examination with some values inside its parts replaced. */
export function altered(base: Examination, parts: Parts): Examination {
  return {
    ...base,
    facts: { ...base.facts, ...parts.facts },
    decision: { ...base.decision, ...parts.decision },
    manipulation: { ...base.manipulation!, ...parts.manipulation },
    provenance: { ...base.provenance, ...parts.provenance },
  };
}

interface Wanted {
  readonly width?: number;
  readonly height?: number;
  readonly cellPx?: number;
  readonly resultClass?: ResultClass;
  readonly reasons?: readonly ReasonCode[];
  readonly seed?: number;
}

const probabilities: Record<ResultClass, number> = {
  real: 0.034,
  fake: 0.971,
  abstain: 0.61,
  uncertain: 0.52,
};

const rates = {
  decided: 0.319,
  realCalledFake: 0.018,
  fakeCalledReal: 0.119,
  realCalledReal: 0.61,
  fakeCalledFake: 0.35,
};

const measuredAsIs = {
  condition: 'as is',
  real: 1221,
  fake: 277,
  auc: 0.762,
  aucLow: 0.662,
  aucHigh: 0.858,
  strategies: { pedantic: rates, default: rates, relaxed: rates },
};

const calls = { changed: 42, photographs: 3 };
const callsAsIs = {
  condition: 'as is',
  changed: 153,
  photographs: 1210,
  strategies: { pedantic: calls, default: calls, relaxed: calls },
};

export function makeExamination(wanted: Wanted = {}): Examination {
  const { width = 200, height = 150, cellPx = 32 } = wanted;
  const { resultClass = 'fake', reasons = [], seed = 1337 } = wanted;
  return {
    facts: factsOf(width, height),
    options: { decisionStrategy: 'default', seed },
    model: { id: 'trace', version: '7', files: { 'model.onnx': 'b7'.repeat(32) } },
    locator: { id: 'locate', version: '2', files: { 'locate.onnx': 'c3'.repeat(32) } },
    manipulation: { probability: 0.12, region: null, methods: ['localisation-network'] },
    measured: [measuredAsIs],
    measuredCalls: [callsAsIs],
    decision: {
      resultClass,
      resultSubClasses: resultClass === 'fake' ? ['ai-generated'] : [],
      reasons,
      basis: 'traces',
      fakeProbability: probabilities[resultClass],
      fakeUncertainty: 0.018,
      thresholds: { fakeMin: 0.82, realMax: 0.24 },
    },
    predictions: { real: 0.12, fake: 0.81, compression: 0.36 },
    classUncertainties: { real: 0.021, fake: 0.034, compression: 0.012 },
    classSimilarities: { realCompressed: 0.21, fakeCompressed: -0.044 },
    anomaly: { score: 0.61, numCluster: 2, giniCoeff: 0.287 },
    stability: null,
    provenance: noProvenance,
    findings: [
      {
        method: 'trace-network',
        score: 0.971,
        speaksFor: 'fake',
        strength: 'moderate',
        statement: { en: 'A finding in English.', de: 'Ein Befund auf Deutsch.' },
        measures: { margin: 0.47154, patches: 24 },
        source: 'Own network.',
      },
    ],
    skipped: [{ method: 'some-method', reason: { en: 'Only for PNG.', de: 'Nur für PNG.' } }],
    maps: makeMaps({ width, height, cellPx }, (u) => u),
    passes: 32,
    patchesRead: 24,
    environment: { forensics: '0.1.0', node: '24.0.0', cpu: 'A processor' },
  };
}

/** Nothing decided, but a change is suspected. */
export function makeSuspected(): Examination {
  return makeExamination({ resultClass: 'uncertain', reasons: ['manipulation_suspected'] });
}

/** Four maps with the same values, `value(u, v)` at the centre of each cell, u and v 0..1 over the grid. */
export function makeMaps(
  { width, height, cellPx }: { width: number; height: number; cellPx: number },
  value: (u: number, v: number) => number,
): CellMaps {
  const columns = Math.ceil(width / cellPx);
  const rows = Math.ceil(height / cellPx);
  const map = () =>
    Uint16Array.from({ length: columns * rows }, (_, i) =>
      Math.round(
        65535 * value(((i % columns) + 0.5) / columns, (Math.floor(i / columns) + 0.5) / rows),
      ),
    );
  const values: Record<MapName, Uint16Array> = {
    real: map(),
    fake: map(),
    compression: map(),
    anomaly: map(),
  };
  return { cellPx, columns, rows, values, methods: {} };
}

/** A drawn scene, as decoded. */
export function makePicture(width: number, height: number): Picture {
  const { rgb } = drawScene({ width, height, seed: 3 });
  const luma = Uint8Array.from({ length: width * height }, (_, i) =>
    Math.round(0.299 * rgb[3 * i]! + 0.587 * rgb[3 * i + 1]! + 0.114 * rgb[3 * i + 2]!),
  );
  const clues = {
    exif: [],
    endOffset: 0,
    hasCredentials: false,
    pictureIndex: null,
    texts: { all: [], xmp: [], warnings: [] },
  };
  return { facts: factsOf(width, height), rgb, luma, clues };
}

function factsOf(width: number, height: number): PictureFacts {
  return {
    format: 'jpg',
    sizeBytes: 1234567,
    sha256: '3fa9'.repeat(16),
    sha512: 'a1'.repeat(64),
    md5: '0f'.repeat(16),
    width,
    height,
    storedWidth: width,
    storedHeight: height,
    orientation: 1,
    bitsPerSample: 8,
    channels: 3,
    colourSpace: 'YCbCr',
    hasAlpha: false,
    iccProfile: null,
    notes: [],
    jpeg: {
      progressive: false,
      arithmetic: false,
      precision: 8,
      components: [],
      chromaSubsampling: '4:2:0',
      quantisationTables: [],
      quality: { value: 91, distance: 0.4 },
      segments: [],
      scans: 1,
      restartInterval: 0,
      trailingBytes: 0,
    },
    metadata: {
      exif: { ExposureTime: '1/250', FNumber: 'f/4.0', ISOSpeedRatings: 400 },
      xmp: {},
      iptc: {},
      pngText: {},
      hasGps: true,
      hasThumbnail: false,
      software: null,
      cameraMake: 'Canon',
      cameraModel: 'EOS R6',
      takenAt: '2026-02-28T10:00:00',
      digitalSourceType: null,
      warnings: [],
    },
  };
}
