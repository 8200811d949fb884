import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as installed from 'onnxruntime-node';
import { expect, test } from 'vitest';
import { newFolder } from '../../fixtures/folder.ts';
import { createRegistry } from '../../../src/inference/registry.ts';
import { loadRuntime } from '../../../src/inference/runtime.ts';
import { loadTraceModel } from '../../../src/inference/networks.ts';

const absent = () => Promise.reject(new Error('ERR_MODULE_NOT_FOUND'));

test('a platform without ONNX Runtime is named in the error', async () => {
  await expect(loadRuntime([absent, absent])).rejects.toMatchObject({
    code: 'runtime_missing',
    message: expect.stringContaining(`${process.platform}-${process.arch}`),
  });
});

test('the bundled copy is used if none is installed next to the package', async () => {
  const runtime = await loadRuntime([absent, async () => installed]);

  expect(runtime.version).toMatch(/^\d+\.\d+\.\d+$/);
});

test('the packaged model returns the shapes of its contract', async () => {
  const model = await loadTraceModel(await createRegistry().open(null), await loadRuntime());
  const [columns, rows, count, passes] = [9, 5, 3, 4];
  const { cellPx } = model.manifest.input;

  const rgb = new Uint8Array(3 * cellPx * columns * cellPx * rows).fill(99);
  const features = await model.readFeatures(rgb, cellPx * columns, cellPx * rows);
  const channels = features.length / (columns * rows);
  const { logits, embeddings } = await model.readHead(
    new Float32Array(count * channels).fill(0.5),
    count,
    new Float32Array(passes * channels).fill(1),
    passes,
  );

  const { dimension } = model.statistics.embedding;
  expect(Number.isInteger(channels)).toBe(true);
  expect(logits).toHaveLength(passes * count * 3);
  expect(embeddings).toHaveLength(count * dimension);
  for (let at = 0; at < count; at++) {
    const vector = embeddings.subarray(at * dimension, (at + 1) * dimension);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
  }
  await model.release();
});

test('ONNX Runtime stores no telemetry identifier on the machine', async () => {
  const home = newFolder();
  const script = fileURLToPath(new URL('./open-session.ts', import.meta.url));
  // The variable CI would also disable telemetry, and hide a mistake of ours.
  const env = { PATH: process.env['PATH'], HOME: home };

  await promisify(execFile)(process.execPath, [script], { env });

  expect(await readdir(home, { recursive: true })).toEqual([]);
});
