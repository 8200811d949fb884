import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/engine/random.ts';
import { parseCsv, readSamples, splits } from './data-set.ts';
import { auc, aucInterval, quantile, recallAt, type Scored } from './figures.ts';

function drawn(count: number, seed = 1): Scored[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, at) => ({
    isFake: at % 3 === 0,
    source: `source ${at % 7}`,
    // Rounded, so that there are ties within and between the classes.
    score: Math.round(10 * (random() + (at % 3 === 0 ? 0.3 : 0))) / 10,
  }));
}

describe('figures', () => {
  test('the AUC is the share of pairs in the right order, ties half', () => {
    const scored = drawn(200);
    const fakes = scored.filter(({ isFake }) => isFake);
    const reals = scored.filter(({ isFake }) => !isFake);
    let wins = 0;
    for (const fake of fakes) {
      for (const real of reals) wins += 0.5 * (Math.sign(fake.score - real.score) + 1);
    }

    expect(auc(scored)).toBeCloseTo(wins / (fakes.length * reals.length), 12);
  });

  test('the interval lies around the AUC and is the same each time', () => {
    const scored = drawn(200);

    const [low, high] = aucInterval(scored, { draws: 200 });

    expect(low).toBeLessThan(auc(scored));
    expect(high).toBeGreaterThan(auc(scored));
    expect(aucInterval(scored, { draws: 200 })).toEqual([low, high]);
  });

  test('recall is taken where at most the stated share of real pictures lies above', () => {
    const real = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
    const scored = [
      ...real.map((score) => ({ score, isFake: false, source: '' })),
      ...[0.85, 0.95, 1.1].map((score) => ({ score, isFake: true, source: '' })),
    ];

    expect(recallAt(scored, 0.1)).toBeCloseTo(2 / 3, 12);
    expect(recallAt(scored, 0)).toBeCloseTo(1 / 3, 12);
  });

  test('a quantile lies on the straight line between its neighbours', () => {
    expect(quantile([0, 10, 20], 0.25)).toBe(5);
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
