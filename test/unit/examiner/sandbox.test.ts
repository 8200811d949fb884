import { hash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { defaultSeed } from '../../../src/contract/vocabulary.ts';
import { type Examination, mapNames } from '../../../src/detectors/result.ts';
import { createSandbox, type Sandbox } from '../../../src/examiner/sandbox.ts';
import type { ExamineRequest } from '../../../src/examiner/requests.ts';
import { newFolder } from '../../fixtures/folder.ts';
import { orientationOf } from '../../fixtures/orientation.ts';
import { sceneJpeg, scenePng } from '../../fixtures/pictures.ts';
import { copyModel } from '../inference/model-folder.ts';
import { readPages } from '../render/pdf-text.ts';
import { refusal } from '../../fixtures/refusal.ts';

/** Of the picture, which no rotation leaves as it is. */
const size = { width: 160, height: 120 };
const options = { model: null, decisionStrategy: 'default', seed: defaultSeed } as const;

const folder = newFolder();
const path = join(folder, 'scene.jpg');
const jpeg = await sceneJpeg({ ...size, seed: 1 });
writeFileSync(path, jpeg);
const smallest = await sceneJpeg({ width: 65, height: 65, seed: 1 });
const sandbox = createSandbox({ poolSize: 1 });
afterAll(() => sandbox.close());

const examine = (request: Partial<ExamineRequest>) =>
  sandbox.examine({ source: { bytes: jpeg }, options, ...request });
const examined = await examine({});

describe('examining', () => {
  test('a file by its path and by its bytes gives the same examination in every value', async () => {
    const byPath = await examine({ source: { path } });

    expect(byPath).toStrictEqual(examined);
    expect(byPath.facts).toMatchObject({ format: 'jpg', ...size });
    expect(byPath.maps.values.anomaly).toBeInstanceOf(Uint16Array);
  });

  test('skipping report-only methods changes nothing else, and a later report includes them', async () => {
    const source = { bytes: jpeg };
    const item = { name: 'scene.jpg', analysisId: null, examinedAt: new Date(0), custody: [] };
    const draw = (examination: Examination) =>
      sandbox.render({ source, examination, item, languages: ['en'] });
    const whole = examined;
    const flagged = await examine({ forReport: false });

    expect(methodsOf(whole).filter((it) => !methodsOf(flagged).includes(it))).toEqual([
      'error-level',
    ]);
    const { findings: _findings, skipped: _skipped, maps, ...rest } = whole;
    expect(flagged).toMatchObject({ ...rest, maps: { values: maps.values } });
    const drawn = await draw(flagged);
    expect(drawn.examination).toStrictEqual(whole);
    expect(Object.keys(drawn.examination.maps.methods)).toEqual(Object.keys(maps.methods));
    expect(drawn.reports.en?.texts).toEqual((await draw(whole)).reports.en?.texts);
  });

  test('a picture may match its declaration either upright or as stored', async () => {
    const { width, height } = size;
    const turned = await sceneJpeg({ ...size, seed: 1, orientation: 6 });
    const source = { bytes: turned };

    const upright = await examine({ source, declared: { format: 'jpg', ...size } });
    const asStored = { format: 'jpg', width: height, height: width } as const;
    const stored = await examine({ source, declared: asStored });

    expect(upright.facts).toMatchObject({ ...size, storedWidth: height });
    expect(stored.facts.orientation).toBe(6);
  });

  test.each([
    { format: 'png', width: 160, height: 120 },
    { format: 'jpg', width: 161, height: 120 },
    { format: 'jpg', width: 120, height: 160 },
  ] as const)('a picture that is not $format of $width x $height is refused', async (declared) => {
    await expect(examine({ declared })).rejects.toEqual(
      refusal('image_not_as_declared', 'declared'),
    );
  });
});

describe('an unusable file is rejected with a code, and the child continues', () => {
  test.each([
    ['file_not_found', () => ({ path: join(folder, 'absent.jpg') })],
    ['file_not_found', () => ({ path: join(path, 'inside-a-file.jpg') })],
    ['file_is_directory', () => ({ path: folder })],
    ['file_not_readable', () => ({ path: '/dev/zero' })],
    ['image_empty', () => ({ bytes: new Uint8Array(0) })],
    ['image_not_supported', () => ({ bytes: Buffer.from('no picture at all') })],
    ['image_unreadable', () => ({ bytes: jpeg.subarray(0, jpeg.length >> 1) })],
  ] as const)('%s (%#)', async (code, source) => {
    const error: unknown = await examine({ source: source() }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code, message: expect.not.stringContaining(folder) });

    const { facts } = await examine({ source: { bytes: smallest } });
    expect(facts.sha256).toBe(hash('sha256', smallest));
    expect(sandbox.status().children).toBe(1);
  });

  test.each<ExamineRequest['options']>([
    { ...options, seed: 1.5 },
    { ...options, seed: Number.NaN },
    // An unknown strategy would find no thresholds.
    JSON.parse('{"decisionStrategy":"bold","seed":1}'),
  ])('invalid_request for %j', async (wrong) => {
    await expect(examine({ options: wrong })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('model_not_found for an unknown model', async () => {
    await expect(examine({ options: { ...options, model: 'trace-0' } })).rejects.toEqual(
      refusal('model_not_found', 'trace-3'),
    );
  });
});

describe('limits', () => {
  test('a file that is too large is rejected before it is read', async () => {
    await withSandbox({ limits: { maxBytes: 1000 } }, async (limited) => {
      await expect(limited.examine({ source: { path }, options })).rejects.toEqual(
        refusal('image_too_many_bytes'),
      );
    });
  });

  test('a damaged model is rejected, and a repaired one is used', async () => {
    const { modelsDir, pathOf, editManifest } = copyModel();
    const good = Buffer.from(await sharp(jpeg).toBuffer());
    editManifest((manifest) => Object.assign(manifest, { id: 'mine' }));
    const asked = { source: { bytes: good }, options: { ...options, model: 'mine' } };
    await withSandbox({ modelsDir }, async (limited) => {
      expect((await limited.examine(asked)).model.id).toBe('mine');

      editManifest((manifest) => Object.assign(manifest, { version: '2' }));
      rmSync(pathOf('head.onnx'));
      await expect(limited.examine(asked)).rejects.toMatchObject({ code: 'model_integrity' });
    });
    rmSync(modelsDir, { recursive: true });
  });

  test('a picture that takes too long or too much memory affects no other', async () => {
    const source = { bytes: await scenePng({ width: 1600, height: 1200, seed: 2 }) };
    await withSandbox({ taskTimeoutMs: 60 }, async (limited) => {
      await expect(limited.examine({ source, options })).rejects.toEqual(
        refusal('inference_timeout'),
      );
    });
    await withSandbox({ memoryLimitBytes: 130_000_000 }, async (limited) => {
      await expect(limited.examine({ source, options })).rejects.toEqual(
        refusal('inference_out_of_memory'),
      );
    });
  });
});

describe('rendering', () => {
  const item = { name: 'scene.jpg', analysisId: null, examinedAt: new Date(0) };

  test('gives heatmaps and raw maps of the picture’s size and a report in each language', async () => {
    const { heatmaps, rawMaps, reports } = await sandbox.render({
      source: { path },
      examination: examined,
      item,
      languages: ['en', 'de'],
    });

    for (const name of mapNames) {
      expect(await sharp(heatmaps[name]).metadata()).toMatchObject({ ...size, format: 'png' });
      expect(await sharp(rawMaps[name]).metadata()).toMatchObject({
        width: 40,
        height: 30,
        depth: 'ushort',
      });
    }
    expect(Object.keys(reports)).toEqual(['en', 'de']);
    expect(Buffer.from(reports.de?.pdf ?? []).toString('latin1', 0, 5)).toBe('%PDF-');
    expect(reports.en?.texts.summary.length).toBeGreaterThan(0);
  });

  test.each([5, 6, 7, 8])(
    'of EXIF orientation %i rotates heatmaps that are to have the stored size',
    async (orientation) => {
      const shape = { width: 120, height: 80 };
      const source = { bytes: await sceneJpeg({ ...shape, seed: 1, orientation }) };
      const examination = await examine({ source });
      const render = (heatmapSize: { width: number; height: number }) => {
        const request = { source, examination, item, languages: ['en'], heatmapSize } as const;
        return sandbox.render(request);
      };

      const upright = await render(shape);
      const stored = await render({ width: 80, height: 120 });

      for (const name of mapNames) {
        const shown = await pixelsOf(upright.heatmaps[name]);
        expect([shown.width, shown.height]).toEqual([120, 80]);
        const { rgb, ...laid } = await pixelsOf(stored.heatmaps[name]);
        const { rgb: expected } = orientationOf(orientation).toStored(shown);
        expect(laid).toEqual({ width: 80, height: 120 });
        expect(Buffer.compare(rgb, expected)).toBe(0);
        // So that a browser turns them as it turns the picture.
        const stated = await sharp(stored.heatmaps[name]).metadata();
        expect(stated.orientation).toBe(orientation);
      }
      const printed = readPages(stored.reports.en!.pdf).map(({ text }) => text.replace(/\s/g, ''));
      for (const name of mapNames) {
        expect(printed.join('')).toContain(hash('sha256', stored.heatmaps[name]));
      }
      const isExplained = [upright, stored].map(({ reports }) =>
        reports.en!.texts.heatmapIntro.includes('as its pixels are stored'),
      );
      expect(isExplained).toEqual([false, true]);
    },
  );

  test('of a rotated square has upright heatmaps', async () => {
    const square = { width: 96, height: 96 };
    const source = { bytes: await sceneJpeg({ ...square, seed: 1, orientation: 6 }) };
    const examination = await examine({ source });
    const request = { source, examination, item, languages: [] };

    const sized = await sandbox.render({ ...request, heatmapSize: square });
    const asAlways = await sandbox.render(request);

    for (const name of mapNames) {
      expect(Buffer.compare(sized.heatmaps[name], asAlways.heatmaps[name])).toBe(0);
    }
  });

  test('over a file other than the examined one is rejected', async () => {
    const other = await sceneJpeg({ ...size, seed: 2 });

    const render = sandbox.render({
      source: { bytes: other },
      examination: examined,
      item,
      languages: [],
    });

    await expect(render).rejects.toEqual(refusal('image_not_as_declared', 'SHA-256'));
  });
});

async function pixelsOf(png: Uint8Array) {
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgb: new Uint8Array(data) };
}

async function withSandbox<Answer>(
  settings: Parameters<typeof createSandbox>[0],
  use: (limited: Sandbox) => Promise<Answer>,
): Promise<Answer> {
  const limited = createSandbox({ poolSize: 1, ...settings });
  try {
    return await use(limited);
  } finally {
    await limited.close();
  }
}

test('a task that waits has a second core if as few run at once as there are pairs of cores', async () => {
  const cores = availableParallelism();
  const status = () => ({ children: cores, busy: cores, waiting: 1 });
  const none = { start: () => undefined, close: () => Promise.resolve(), status };
  const tasks = [Math.max(1, cores >> 1), cores].map((poolSize) => {
    const children = { ...none, size: poolSize, run: (task: unknown) => Promise.resolve(task) };
    return createSandbox({ children }).examine({ source: { bytes: jpeg }, options });
  });
  const settings = (await Promise.all(tasks)).map((task) => Object(task)['settings']);

  expect(settings).toMatchObject([{ hasSpareCore: cores > 1 }, { hasSpareCore: false }]);
});

function methodsOf({ findings, skipped }: Examination): readonly string[] {
  return [...findings, ...skipped].map(({ method }) => method);
}
