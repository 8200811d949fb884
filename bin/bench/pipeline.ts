/**
 * (a) and (b): a whole analysis through the sandbox, child process and all, compared with only
 * decoding the JPEG and running both arms of the model on the same tensors that the engine passes
 * to them. Only a picture with a verdict goes through the re-save test, so that test is a separate
 * row.
 */

import sharp from 'sharp';
import { readPatchScores } from '../../src/engine/patch-scores.ts';
import { createStabilityTest } from '../../src/engine/stability.ts';
import { decodePicture } from '../../src/image/decode.ts';
import { localLimits } from '../../src/image/picture.ts';
import { createRegistry } from '../../src/inference/registry.ts';
import { loadRuntime } from '../../src/inference/runtime.ts';
import { loadTraceModel, type TraceModel } from '../../src/inference/networks.ts';
import { createSandbox } from '../../src/examiner/sandbox.ts';
import { interleaved, type Row } from './figures.ts';
import { sceneOf, type Size } from './sizes.ts';

export async function benchPipeline(size: Size, rounds: number): Promise<readonly Row[]> {
  const bytes = await sceneOf(size);
  const bare = await prepareBare(bytes);
  const sandbox = createSandbox({ poolSize: 1 });
  const source = { bytes };
  const options = { model: null, decisionStrategy: 'default', seed: 1337 } as const;
  const flag = () => sandbox.examine({ source, options, forReport: false });
  const report = async () => {
    const examination = await sandbox.examine({ source, options });
    const item = { name: 'scene.jpg', analysisId: null, examinedAt: new Date(0) };
    const languages = ['en', 'de'] as const;
    await sandbox.render({ source, examination, item, languages });
  };
  const [bareMs = 0, flagMs = 0, reportMs = 0, stabilityMs = 0] = await interleaved(rounds, [
    bare.run,
    flag,
    report,
    bare.testStability,
  ]);
  await Promise.all([sandbox.close(), bare.release()]);
  const { megapixels } = size;
  return [
    { what: 'decode + bare session.run', value: bareMs, unit: 'ms' },
    {
      what: 'flagging',
      value: flagMs,
      unit: 'ms',
      ...goal(megapixels, { 1: 700, 4: 1500, 12: 3000, 24: 4000 }),
    },
    {
      what: '(a) flagging / bare',
      value: flagMs / bareMs,
      unit: 'x',
      ...goal(megapixels, { 1: 1.3 }),
    },
    { what: 'test of a verdict on re-saves', value: stabilityMs, unit: 'ms' },
    { what: 'forensicReporting, 2 PDFs', value: reportMs, unit: 'ms' },
    {
      what: '(b) forensicReporting / bare',
      value: reportMs / bareMs,
      unit: 'x',
      ...goal(megapixels, { 1: 4 }),
    },
  ];
}

function goal(megapixels: number, goals: Readonly<Record<number, number>>): { atMost?: number } {
  const atMost = goals[megapixels];
  return atMost === undefined ? {} : { atMost };
}

/**
 * The model's inputs, recorded in advance from the engine, so that neither cutting the tensors nor
 * processing the outputs is part of the bare run.
 */
async function prepareBare(bytes: Buffer) {
  // As in the sandbox's child processes, which decode on one thread.
  sharp.concurrency(1);
  const model = await loadTraceModel(await createRegistry().open(null), await loadRuntime());
  const picture = await decodePicture(bytes, { limits: localLimits });
  const shown: (() => Promise<unknown>)[] = [];
  const readFeatures: TraceModel['readFeatures'] = async (...given) => {
    shown.push(() => model.readFeatures(...given));
    return model.readFeatures(...given);
  };
  const { meanLogits } = await readPatchScores(picture, { ...model, readFeatures });
  return {
    run: async () => {
      await sharp(bytes).raw().toBuffer();
      for (const show of shown) await show();
    },
    testStability: () => createStabilityTest(picture, meanLogits, model)(true),
    release: () => model.release(),
  };
}
