import { createHash } from 'node:crypto';
import type { Examination } from '../../../../src/detectors/result.ts';
import { ForensicsError } from '../../../../src/contract/errors.ts';
import type { ReportTexts } from '../../../../src/present/report-item.ts';
import type { Sandbox } from '../../../../src/examiner/sandbox.ts';
import type { ExamineRequest } from '../../../../src/examiner/requests.ts';
import { makeExamination } from '../../present/examination.ts';
import type { PictureSource } from '../../../../src/image/picture.ts';
import type { RenderRequest } from '../../../../src/render/rendering.ts';

type Step = (request: ExamineRequest, signal?: AbortSignal) => Promise<Examination> | Examination;

/** A sandbox without models: each examination runs the next step of the script, and succeeds once there are none. */
export function createScriptedSandbox() {
  const script: Step[] = [];
  const examined: ExamineRequest[] = [];
  const rendered: RenderRequest[] = [];
  let renderError: Error | null = null;
  let brokenRenderings = 0;

  const sandbox: Pick<Sandbox, 'examine' | 'render' | 'layBeside'> = {
    async examine(request, how = {}) {
      examined.push(request);
      const step = script.shift() ?? examinationOf;
      return step(request, how.signal);
    },
    layBeside: async () => ({ jpeg: Buffer.from('both'), differing: 1 }),
    async render(request) {
      rendered.push(request);
      if (renderError !== null && brokenRenderings-- > 0) throw renderError;
      const png = (name: string) => Buffer.from(`png ${name} of ${digestOf(request.source)}`);
      const heatmaps = {
        real: png('real'),
        fake: png('fake'),
        compression: png('compression'),
        anomaly: png('anomaly'),
      };
      return {
        examination: request.examination,
        heatmaps,
        rawMaps: heatmaps,
        reports: { en: reportIn('en'), de: reportIn('de') },
      };
    },
  };

  return {
    ...sandbox,
    examined,
    rendered,
    next: (...steps: Step[]) => script.push(...steps),
    fail: (code: ForensicsError['code'], message = `It failed with ${code}.`): Step => {
      return () => {
        throw new ForensicsError(code, message);
      };
    },
    /** @param times - how many of the next renderings fail; all by default. */
    breakRendering(error: Error | null, times = Number.POSITIVE_INFINITY) {
      renderError = error;
      brokenRenderings = times;
    },
  };
}

/** The examination of a fake picture, with every field. */
export function examinationOf({ source, options }: ExamineRequest): Examination {
  const md5 = digestOf(source);
  const made = makeExamination({ width: 96, height: 80 });
  return {
    ...made,
    facts: { ...made.facts, sha256: md5, sha512: md5, md5 },
    options: { decisionStrategy: options.decisionStrategy, seed: options.seed },
    model: { id: 'trace-3', version: '2.0.1', files: { 'model.onnx': 'aa' } },
    decision: {
      ...made.decision,
      resultSubClasses: ['ai-generated', 'manipulated'],
      fakeProbability: 0.93,
    },
    predictions: { real: 0.1, fake: 0.9, compression: 0.3 },
    classUncertainties: { real: 0.01, fake: 0.02, compression: 0.03 },
    classSimilarities: { realCompressed: 0.2, fakeCompressed: 0.8 },
    anomaly: { score: 0.4, numCluster: 2, giniCoeff: null },
    maps: {
      cellPx: 16,
      columns: 2,
      rows: 1,
      values: {
        real: Uint16Array.of(0, 65_535),
        fake: Uint16Array.of(1, 2),
        compression: Uint16Array.of(258, 3),
        anomaly: Uint16Array.of(40_000, 4),
      },
      methods: { 'noise-level': Uint16Array.of(7, 65_535), 'copy-move': Uint16Array.of(8, 9) },
    },
  };
}

function digestOf(source: PictureSource): string {
  if (!('bytes' in source)) throw new TypeError('a run reads bytes');
  return createHash('md5').update(source.bytes).digest('hex');
}

function reportIn(language: string) {
  return { texts: textsIn(language), pdf: Buffer.from(`pdf ${language}`) };
}

export function textsIn(language: string): ReportTexts {
  return {
    summary: `summary ${language}`,
    forensic: 'f',
    heatmapIntro: 'i',
    heatmap: { real: 'r', fake: 'f', compressed: 'c', anomaly: 'a' },
    conclusion: 'c',
  };
}
