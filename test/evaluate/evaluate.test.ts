import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseCsv, readSamples, splits } from './data-set.ts';
import { recallAt, spearman } from './figures.ts';

describe('figures', () => {
  test('recall is taken where at most the stated share of real pictures lies above', () => {
    const real = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
    const scored = [
      ...real.map((score) => ({ score, isFake: false, source: '' })),
      ...[0.85, 0.95, 1.1].map((score) => ({ score, isFake: true, source: '' })),
    ];

    expect(recallAt(scored, 0.1)).toBeCloseTo(2 / 3, 12);
    expect(recallAt(scored, 0)).toBeCloseTo(1 / 3, 12);
  });

  test('the rank correlation is that of the order alone', () => {
    expect(spearman([1, 2, 3, 4], [10, 20, 300, 4000])).toBe(1);
    expect(spearman([1, 2, 3, 4], [4, 3, 2, 1])).toBe(-1);
    // 1 - 6 * (0 + 1 + 1 + 0) / (4 * 15)
    expect(spearman([1, 2, 3, 4], [1, 3, 2, 4])).toBeCloseTo(0.8, 12);
  });
});

test('a quoted field may hold commas and quotes', () => {
  expect(parseCsv('a,b\r\n"x, ""y""",2\n,\n')).toEqual([
    ['a', 'b'],
    ['x, "y"', '2'],
    ['', ''],
  ]);
});

test('without a data folder the program says where to put one and ends with 2', async () => {
  const program = fileURLToPath(new URL('./evaluate.ts', import.meta.url));

  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, [program, '--data', tmpdir()], (error, _, text) =>
      resolve({ code: error?.code, stderr: text }),
    );
  });

  expect(code).toBe(2);
  expect(stderr).toContain('--data DIR');
});

test('sources that training holds out make the calibration split', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-evaluate-'));
  const rows = [
    'file,split,label,generator,source',
    'b.jpg,train,real,camera,bep/gallerydeluxe_starter',
    'a.jpg,train,ai-generated,sdxl-base,someone/else',
    'c.jpg,val,real,web,bep/gallerydeluxe_starter',
  ];
  writeFileSync(join(folder, 'manifest.csv'), rows.join('\n'));

  const files = splits.map((split) => readSamples(folder, split).map(({ file }) => file));

  rmSync(folder, { recursive: true });
  expect(files).toEqual([['a.jpg'], ['b.jpg'], ['c.jpg']]);
});
