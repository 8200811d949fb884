/** A report with everything that a report can contain, and the text of its pages. */

import type { Language } from '../../../src/contract/vocabulary.ts';
import type { Examination } from '../../../src/detectors/result.ts';
import { printPictures, renderHeatmaps } from '../../../src/render/heatmap/heatmap.ts';
import { renderHtml } from '../../../src/render/html/html.ts';
import { renderPdf } from '../../../src/render/pdf/pdf.ts';
import type { ReportItem } from '../../../src/present/report-item.ts';
import { credentials, declaration, makeExamination, makePicture } from './examination.ts';
import { readPages, textOfHtml } from '../render/pdf-text.ts';

export { bodyOf } from '../render/pdf-text.ts';

export const size = { width: 240, height: 160 };
export const custodyHash = 'c5'.repeat(32);

export const fullItem: ReportItem = {
  name: 'Straßenszene.jpg',
  analysisId: '6a0f2c9e1b7d4835aa01c2d3',
  examinedAt: new Date('2026-03-01T12:00:00Z'),
  retries: 2,
  withMetadata: true,
  custody: [
    { at: new Date('2026-03-01T11:58:01.250Z'), actor: 'user 6f1c', event: 'created', hashes: [] },
    {
      at: new Date('2026-03-01T11:59:00Z'),
      actor: 'service',
      event: 'received',
      hashes: [{ name: 'original', sha256: custodyHash }],
    },
  ],
  validation: {
    id: '9f8e7d6c5b4a392817060504',
    createdAt: new Date('2026-02-01T08:00:00Z'),
    model: makeExamination().model,
    conditions: makeExamination().measured.map((one) => ({ ...one, condition: 'web', real: 40 })),
  },
};

const [first] = makeExamination().findings;
const silent = { ...first!, speaksFor: 'neither', strength: 'none', score: 0.5 } as const;
const captured = { origin: 'captured', value: 'digitalCapture' } as const;
const trailing = { trailingBytes: 4711, trailingKind: 'zip' } as const;
const inFile = { ...trailing, furtherPictures: 1, writtenBy: 'others' } as const;

function makeFull(): Examination {
  const base = makeExamination(size);
  const [measured] = base.measured;
  const worse = { decided: 0.25, realCalledFake: 0.05, fakeCalledReal: 0.1 };
  return {
    ...base,
    measured: [
      { ...measured!, longerSidePx: [256, 1448] },
      {
        ...measured!,
        condition: 'half, jpeg 80',
        strategies: { pedantic: worse, default: { ...worse, fakeCalledFake: 0.3 }, relaxed: worse },
      },
    ],
    decision: {
      ...base.decision,
      thresholds: { fakeMin: 0.82, realMax: 0.24, leastDeviations: 1.96 },
    },
    stability: {
      holds: true,
      trials: [{ change: 'jpeg-70', fakeProbability: 0.9126, isFlip: false }],
    },
    findings: [
      ...base.findings,
      {
        ...silent,
        method: 'compression-tables',
        statement: { code: 'tables_of_libjpeg', values: { quality: 91 } },
      },
      { ...silent, method: 'file-layout', statement: { code: 'more_in_file', values: inFile } },
    ],
    provenance: {
      ...base.provenance,
      declarations: [{ ...declaration, ...captured, place: 'c2pa', assurance: 'signed' }],
      credentials: {
        ...credentials,
        integrity: 'broken',
        trust: 'untrusted',
        trustListSha256: 'ab'.repeat(32),
        issuer: 'Example Authority',
        signedAt: '2026-02-28T10:00:01Z',
        claimGenerator: 'Example Firmware',
        actions: [{ action: 'c2pa.created', software: null, when: null, digitalSourceType: null }],
        problems: ['assertion.dataHash.mismatch'],
      },
      software: [{ kind: 'editor', name: 'Example Editor', place: 'exif' }],
      inconsistencies: [
        {
          code: 'thumbnail_content_differs',
          statement: { en: 'The thumbnail differs.', de: 'Das Vorschaubild weicht ab.' },
          measures: {},
        },
      ],
    },
    environment: {
      forensics: '0.1.0',
      node: '24.0.0',
      onnxruntime: '1.30.0',
      sharp: '0.35.5',
      libvips: '8.18.7',
      cpu: 'A processor',
    },
  };
}

/** The heatmaps of an examination, and all its pictures as reports show them. */
export async function draw({ maps, facts }: Examination) {
  const picture = makePicture(facts.width, facts.height);
  const heatmaps = await renderHeatmaps(picture, maps);
  return { heatmaps, prints: await printPictures(picture, maps, heatmaps) };
}

export async function render(examination: Examination, language: Language, item = fullItem) {
  const { heatmaps, prints } = await draw(examination);
  const pdf = await renderPdf({ prints, examination, item, language });
  return { pdf, heatmaps, pages: readPages(pdf) };
}

export async function drawHtml(examination: Examination, language: Language, item = fullItem) {
  const { prints } = await draw(examination);
  return renderHtml({ prints, examination, item, language });
}

/** The text of the HTML report in the form of `bodyOf`: one line per paragraph, heading and cell. */
export async function readHtml(...given: Parameters<typeof drawHtml>): Promise<string> {
  return textOfHtml(await drawHtml(...given));
}

export const full = makeFull();
