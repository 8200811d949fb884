/**
 * (a) and (b): a whole analysis through the lab, child process and all, against nothing but decoding the JPEG and
 * running the network on the very tensors that the engine gives it.
 */

import sharp from 'sharp';
import { coveringGrid } from '../../src/engine/grid.ts';
import { maxTileCells, planTiles } from '../../src/engine/tiles.ts';
import { createRegistry } from '../../src/inference/registry.ts';
import { type Tensor, loadRuntime } from '../../src/inference/runtime.ts';
import { createLab } from '../../src/lab/create-lab.ts';
import { type Row, interleaved } from './figures.ts';
import { type Size, sceneOf } from './sizes.ts';

export async function benchPipeline(size: Size, rounds: number): Promise<readonly Row[]> {
  const bytes = await sceneOf(size);
  const bare = await prepareBare(bytes, size);
  const lab = createLab({ poolSize: 1 });
  const source = { bytes };
  const options = { model: null, decisionStrategy: 'default', seed: 1337 } as const;
  const flag = () => lab.examine({ source, options });
  const report = async () => {
    const examination = await flag();
    const item = { name: 'scene.jpg', analysisId: null, examinedAt: new Date(0) };
    const languages = ['en', 'de'] as const;
    await lab.render({ source, examination, item, languages, withRawMaps: false });
  };
  const [bareMs = 0, flagMs = 0, reportMs = 0] = await interleaved(rounds, [
    bare.run,
    flag,
    report,
  ]);
  await Promise.all([lab.close(), bare.release()]);
  const { megapixels } = size;
  return [
    { what: 'decode + bare session.run', value: bareMs, unit: 'ms' },
    { what: 'flagging', value: flagMs, unit: 'ms', ...goal(megapixels, { 1: 500, 12: 5000 }) },
    {
      what: '(a) flagging / bare',
      value: flagMs / bareMs,
      unit: 'x',
      ...goal(megapixels, { 1: 1.3 }),
    },
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

/** The tensors are cut beforehand: neither cutting nor what the engine makes of the answers is part of the bare run. */
async function prepareBare(bytes: Buffer, size: Size) {
  // The lab's children decode on one thread, and so does this.
  sharp.concurrency(1);
  const registry = createRegistry();
  const { manifest, backbone } = await registry.open(null);
  const session = await (await loadRuntime()).openSession(backbone);
  const tensors = await cutTensors(bytes, size, manifest.input);
  return {
    run: async () => {
      await sharp(bytes).raw().toBuffer();
      for (const rgb of tensors) await session.run({ rgb });
    },
    release: () => session.release(),
  };
}

async function cutTensors(
  bytes: Buffer,
  size: Size,
  { cellPx, haloPx }: { readonly cellPx: number; readonly haloPx: number },
): Promise<readonly Tensor[]> {
  const tiles = planTiles(coveringGrid(size, cellPx), Math.ceil(haloPx / cellPx), maxTileCells);
  return Promise.all(
    tiles.map(async ({ outer }) => {
      const left = outer.column * cellPx;
      const top = outer.row * cellPx;
      const [width, height] = [outer.columns * cellPx, outer.rows * cellPx];
      const inside = {
        left,
        top,
        width: Math.min(width, size.width - left),
        height: Math.min(height, size.height - top),
      };
      const data = await sharp(bytes)
        .extract(inside)
        .extend({ right: width - inside.width, bottom: height - inside.height, extendWith: 'copy' })
        .raw()
        .toBuffer();
      return { data, dims: [1, height, width, 3] };
    }),
  );
}
