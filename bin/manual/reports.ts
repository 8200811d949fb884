/**
 * The first pages in the manual's section on reports, one for each outcome. The pictures are drawn
 * and their readings made up, because no drawing has the traces of a camera or of a generator; the
 * error rates are those of the models.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { languages, type ReasonCode, type ResultClass } from '../../src/contract/vocabulary.ts';
import type { Finding } from '../../src/detectors/detector.ts';
import type { Examination, Place } from '../../src/detectors/result.ts';
import { noProvenance, type Provenance } from '../../src/contract/provenance.ts';
import { printPictures, renderHeatmaps } from '../../src/render/heatmap/heatmap.ts';
import { renderPdf } from '../../src/render/pdf/pdf.ts';
import { makeExamination, makeMaps, makePicture } from '../../test/unit/present/examination.ts';
import { root } from './manual.ts';

const size = { width: 960, height: 720 };
const { version }: { version: string } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

interface Outcome {
  readonly resultClass: ResultClass;
  readonly reasons?: readonly ReasonCode[];
  readonly generated: number;
  readonly changed: number;
  readonly basis?: 'traces' | 'localisation' | 'declaration';
  readonly places?: readonly Place[];
  readonly findings?: readonly Finding[];
  readonly provenance?: Partial<Provenance>;
  readonly isOutside?: true;
}

const left = { left: 150, top: 430, width: 170, height: 140, share: 0.034 };
const right = { left: 600, top: 300, width: 170, height: 140, share: 0.034 };

const network: Finding = {
  method: 'localisation-network',
  score: 0.93,
  speaksFor: 'fake',
  strength: 'moderate',
  statement: { code: 'region_processed_apart', values: { place: 'right', share: 0.034 } },
  measures: {},
  source: '',
};
const copies: Finding = {
  ...network,
  method: 'copy-move',
  statement: {
    code: 'copies',
    values: {
      place: 'lower_left',
      otherPlace: 'right',
      share: 0.034,
      isMirrored: false,
      turnDegrees: 0,
      factor: 1,
    },
  },
};
const likeness: Finding = {
  ...network,
  method: 'photograph-likeness',
  speaksFor: 'neither',
  strength: 'none',
  statement: { code: 'looks_like', values: { kind: 'drawing' } },
  measures: { isPhotograph: 0 },
};
const declared: Finding = {
  ...network,
  method: 'declared-origin',
  statement: {
    code: 'origin_declared',
    values: {
      origin: 'ai-generated',
      place: 'xmp',
      field: 'DigitalSourceType',
      generator: 'Example Generator',
    },
  },
};
const declaration = {
  declarations: [
    {
      origin: 'ai-generated',
      place: 'xmp',
      field: 'DigitalSourceType',
      value: 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia',
      generator: 'Example Generator',
      assurance: 'unsigned',
    },
  ],
  software: [{ kind: 'generator', name: 'Example Generator', place: 'xmp' }],
} as const;

/** By the name of its image. */
const outcomes: Readonly<Record<string, Outcome>> = {
  real: { resultClass: 'real', generated: 0.03, changed: 0.06 },
  generated: { resultClass: 'fake', generated: 0.97, changed: 0.11 },
  changed: {
    resultClass: 'fake',
    basis: 'localisation',
    generated: 0.06,
    changed: 0.93,
    places: [{ region: right, methods: ['localisation-network'] }],
    findings: [network],
  },
  suspected: {
    resultClass: 'uncertain',
    reasons: ['manipulation_suspected'],
    generated: 0.05,
    changed: 0.58,
    places: [
      { region: left, methods: ['copy-move'] },
      { region: right, methods: ['copy-move'] },
    ],
    findings: [copies],
  },
  declared: {
    resultClass: 'fake',
    basis: 'declaration',
    generated: 0.61,
    changed: 0.09,
    findings: [declared],
    provenance: declaration,
  },
  undecided: {
    resultClass: 'uncertain',
    reasons: ['evidence_below_threshold'],
    generated: 0.52,
    changed: 0.17,
  },
  contradicting: {
    resultClass: 'uncertain',
    reasons: ['declaration_contradicts_traces'],
    generated: 0.04,
    changed: 0.08,
    findings: [declared],
    provenance: declaration,
  },
  drawing: {
    resultClass: 'abstain',
    reasons: ['not_a_photograph'],
    generated: 0.5,
    changed: 0.2,
    findings: [likeness],
    isOutside: true,
  },
};

/** The report as PDF in both languages, by the path of its image below `src/manual`. */
export async function drawReports(): Promise<ReadonlyMap<string, Uint8Array>> {
  const picture = makePicture(size.width, size.height);
  const drawn = new Map<string, Uint8Array>();
  for (const [name, outcome] of Object.entries(outcomes)) {
    const examination = toExamination(outcome);
    const item = { name: `${name}.jpg`, analysisId: null, examinedAt: new Date('2026-03-01') };
    const heatmaps = await renderHeatmaps(picture, examination.maps);
    const prints = await printPictures(picture, examination.maps, heatmaps);
    for (const language of languages) {
      const about = { prints, examination, item, language };
      const folder = language === 'en' ? '' : `${language}/`;
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      drawn.set(`${folder}images/report-${name}.png`, await renderPdf(about));
    }
  }
  return drawn;
}

function toExamination(outcome: Outcome): Examination {
  const { resultClass, reasons = [], basis = 'traces', generated, changed } = outcome;
  const { places = [], findings = [], provenance, isOutside } = outcome;
  const base = makeExamination({ ...size, resultClass, reasons });
  const [trace, locate] = [readManifest('trace-3'), readManifest('locate-1')];
  const traces: Finding = {
    ...network,
    method: 'trace-network',
    score: generated,
    speaksFor: generated < 0.5 ? 'real' : 'fake',
    statement: {
      code: 'generated_with_probability',
      values: { probability: generated, spread: 0.01, patches: 140 },
    },
  };
  return {
    ...base,
    model: { ...base.model, id: trace.id, version: trace.version },
    locator: { ...base.locator!, id: locate.id, version: locate.version },
    measured: trace.measured,
    measuredCalls: locate.called,
    decision: {
      ...base.decision,
      basis,
      ...(basis !== 'traces' && { byTraces: { resultClass: 'uncertain', reasons: [] } }),
      fakeProbability: generated,
      fakeUncertainty: 0.01,
      thresholds: { realMax: 0.14, fakeMin: 0.9, suspectedMin: 0.49, manipulatedMin: 0.69 },
    },
    manipulation: {
      probability: changed,
      region: places[0]?.region ?? null,
      methods: [...new Set(places.flatMap(({ methods }) => methods))],
      places,
    },
    provenance: { ...noProvenance, ...provenance },
    findings: isOutside === true ? findings : [...findings, traces],
    skipped: [],
    environment: { ...base.environment, forensics: version },
    maps: makeMaps({ ...size, cellPx: 32 }, () => generated),
  };
}

/** The part that a report shows. */
interface ShownManifest
  extends Pick<Examination['model'], 'id' | 'version'>,
    Pick<Examination, 'measured'> {
  readonly called: Examination['measuredCalls'];
}

function readManifest(id: string): ShownManifest {
  return JSON.parse(readFileSync(join(root, 'models', id, 'manifest.json'), 'utf8'));
}
