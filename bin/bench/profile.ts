/**
 * `npm run bench -- --profile`: CPU time of each step of one picture. The engine runs as in a child
 * process, with a timer around each network and each method; "everything else" is the rest of the
 * total. CPU time is used because other work on the machine hardly affects it.
 */

import { generateKeyPairSync } from 'node:crypto';
import sharp from 'sharp';
import { detectors } from '../../src/detectors/list.ts';
import { conclude, observe } from '../../src/engine/observe.ts';
import type { Examination } from '../../src/detectors/result.ts';
import type { Models } from '../../src/engine/schedule.ts';
import { createStabilityTest } from '../../src/engine/stability.ts';
import { createSigner } from '../../src/evidence/sign.ts';
import { writeBundle } from '../../src/evidence/write-bundle.ts';
import { decodePicture } from '../../src/image/decode.ts';
import { defaultLimits, localLimits, type Picture } from '../../src/image/picture.ts';
import { loadLocateModel, loadTraceModel } from '../../src/inference/networks.ts';
import { createRegistry } from '../../src/inference/registry.ts';
import { loadRuntime } from '../../src/inference/runtime.ts';
import { readProvenance } from '../../src/provenance/read-provenance.ts';
import { printPictures, renderHeatmaps, renderRawMaps } from '../../src/render/heatmap/heatmap.ts';
import { renderPdf } from '../../src/render/pdf/pdf.ts';
import { writeTexts } from '../../src/present/report-texts.ts';
import { createPool } from '../../src/examiner/pool.ts';
import { median, type Row } from './figures.ts';
import { sceneOf, type Size } from './sizes.ts';

export async function benchProfile(size: Size, rounds: number): Promise<readonly Row[]> {
  // As in the sandbox's child processes, which decode on one thread.
  sharp.concurrency(1);
  const bytes = await sceneOf(size);
  const models = await openModels();
  const measured: ReadonlyMap<string, number>[] = [];
  // The first round is a warm-up and is not counted.
  for (let round = 0; round <= rounds; round++) {
    const times = await profileOnce(bytes, models);
    if (round > 0) measured.push(times);
  }
  await Promise.all([models.trace.release(), models.locator.release()]);
  return [...measured[0]!.keys()].map((what) => ({
    what,
    value: median(measured.map((times) => times.get(what)!)),
    unit: 'ms',
  }));
}

async function openModels(): Promise<Models> {
  const [registry, runtime] = [createRegistry(), await loadRuntime()];
  return {
    trace: await loadTraceModel(await registry.open(null), runtime),
    locator: await loadLocateModel(await registry.openLocator(null), runtime),
  };
}

async function profileOnce(bytes: Buffer, models: Models): Promise<ReadonlyMap<string, number>> {
  const clock = createClock();
  const picture = await clock.add('decode', () => decodePicture(bytes, { limits: localLimits }));
  const provenance = await clock.add('provenance', () =>
    readProvenance(bytes, picture, { trustList: null }),
  );
  const observed = await clock.whole('everything else of the examination', async () =>
    observe(picture, clocked(models, clock), 1337, () => provenance, clockedMethods(clock)),
  );
  // Only a picture with a verdict is put to this test; here it is measured whatever the verdict,
  // including its networks.
  const testStability = createStabilityTest(picture, observed.patchScores.meanLogits, models.trace);
  await clock.add('stability test', () => testStability(true));
  const examination = await conclude({ ...observed, testStability }, 'default');
  await profileDrawing(clock, { bytes, picture, examination });
  await clock.add('IPC, picture and examination', () => sendThrough([bytes, examination]));
  return clock.times;
}

interface Examined {
  readonly bytes: Buffer;
  readonly picture: Picture;
  readonly examination: Examination;
}

async function profileDrawing(clock: Clock, { bytes, picture, examination }: Examined) {
  const item = { name: 'scene.jpg', analysisId: null, examinedAt: new Date(0), custody: [] };
  const heatmaps = await clock.add('heatmaps', () => renderHeatmaps(picture, examination.maps));
  const rawMaps = await clock.add('raw maps', () => renderRawMaps(examination.maps));
  const prints = await clock.add('pictures in print', () =>
    printPictures(picture, examination.maps, heatmaps),
  );
  const pdfIn = (language: 'en' | 'de') =>
    clock.add('both PDFs', async () => {
      const texts = writeTexts(examination, { ...item, heatmapOrientation: 'upright' }, language);
      const drawn = { ...item, heatmapOrientation: 'upright' } as const;
      return { texts, pdf: await renderPdf({ prints, examination, item: drawn, language }) };
    });
  const reports = { en: await pdfIn('en'), de: await pdfIn('de') };
  const bundleCase = {
    original: bytes,
    openedAs: 'scene.jpg',
    examination,
    item,
    heatmapSize: null,
    limits: defaultLimits,
    trustList: null,
    rendering: { examination, heatmaps, rawMaps, reports },
  };
  const signer = createSigner(generateKeyPairSync('ed25519').privateKey);
  await clock.add('bundle', async () =>
    writeBundle(bundleCase, { withOriginal: true, signer, signedAt: new Date(0) }),
  );
}

type Clock = ReturnType<typeof createClock>;

function createClock() {
  const times = new Map<string, number>();

  async function add<T>(what: string, act: () => Promise<T>): Promise<T> {
    const began = process.cpuUsage();
    const made = await act();
    count(what, began);
    return made;
  }

  function addSync<T>(what: string, act: () => T): T {
    const began = process.cpuUsage();
    const made = act();
    count(what, began);
    return made;
  }

  function count(what: string, began: NodeJS.CpuUsage): void {
    const { user, system } = process.cpuUsage(began);
    times.set(what, (times.get(what) ?? 0) + (user + system) / 1000);
  }

  /** The part of `act` that is in none of the steps inside it. */
  async function whole<T>(what: string, act: () => Promise<T>): Promise<T> {
    const sum = () => [...times.values()].reduce((total, ms) => total + ms, 0);
    const before = sum();
    const made = await add(what, act);
    const inside = sum() - before - times.get(what)!;
    times.set(what, times.get(what)! - inside);
    return made;
  }

  return { times, add, addSync, whole };
}

function clocked({ trace, locator }: Models, clock: Clock): Models {
  return {
    trace: {
      ...trace,
      readFeatures: (...given) => clock.add('trace network', () => trace.readFeatures(...given)),
      readHead: (...given) =>
        clock.add('head of the trace network', () => trace.readHead(...given)),
    },
    locator: {
      ...locator,
      locate: (...given) => clock.add('localisation network', () => locator.locate(...given)),
    },
  };
}

function clockedMethods(clock: Clock) {
  return detectors.map((it) => ({
    ...it,
    examine: (input: Parameters<typeof it.examine>[0]) =>
      clock.addSync(it.method, () => it.examine(input)),
  }));
}

/** A round trip between two processes, as of a sandbox task. CPU time of this side. */
async function sendThrough(message: unknown): Promise<void> {
  const entry = new URL('./echo-child.ts', import.meta.url);
  const pool = createPool({ entry, size: 1, taskTimeoutMs: 60_000, memoryLimitBytes: 2e9 });
  await pool.run(message);
  await pool.close();
}
