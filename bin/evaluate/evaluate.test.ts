import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { parseCsv, readSamples, splits } from './data-set.ts';
import { recallAt, spearman } from './figures.ts';
import { record } from './measured.ts';
import { openModels } from './open-models.ts';
import { sceneJpeg } from '../../test/fixtures/pictures.ts';
import { packagedDir } from '../../src/inference/registry.ts';

describe('figures', () => {
  test('recall is taken at the threshold that at most the stated share of real pictures exceeds', () => {
    const real = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
    const scored = [
      ...real.map((score) => ({ score, isFake: false, source: '' })),
      ...[0.85, 0.95, 1.1].map((score) => ({ score, isFake: true, source: '' })),
    ];

    expect(recallAt(scored, 0.1)).toBeCloseTo(2 / 3, 12);
    expect(recallAt(scored, 0)).toBeCloseTo(1 / 3, 12);
  });

  test('rank correlation depends only on the order', () => {
    expect(spearman([1, 2, 3, 4], [10, 20, 300, 4000])).toBe(1);
    expect(spearman([1, 2, 3, 4], [4, 3, 2, 1])).toBe(-1);
    // 1 - 6 * (0 + 1 + 1 + 0) / (4 * 15)
    expect(spearman([1, 2, 3, 4], [1, 3, 2, 4])).toBeCloseTo(0.8, 12);
    // Ties share a rank: 1.5 / sqrt(1.5 * 2) of the centred ranks.
    expect(spearman([1, 1, 2], [1, 2, 3])).toBeCloseTo(Math.sqrt(0.75), 12);
  });
});

test('a quoted field may contain commas and quotes', () => {
  expect(parseCsv('a,b\r\n"x, ""y""",2\n,\n')).toEqual([
    ['a', 'b'],
    ['x, "y"', '2'],
    ['', ''],
  ]);
});

test('without a data folder the program says where to put one and exits with 2', async () => {
  const { code, stderr } = await evaluate('--data', tmpdir());

  expect(code).toBe(2);
  expect(stderr).toContain('--data DIR');
});

describe('a data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-evaluate-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const rows = [
    'file,split,label,generator,source',
    'b.jpg,train,real,camera,bep/gallerydeluxe_starter',
    'a.jpg,train,ai-generated,sdxl-base,someone/else',
    'd.png,train,ai-generated,kandinsky,ai-forever/Kandinsky-2',
    'g.png,val,ai-generated,kolors,one/more',
    'f.png,val,ai-generated,kandinsky,one/more',
    'e.png,val,ai-generated,sdxl-base,one/more',
    'c.jpg,val,real,web,bep/gallerydeluxe_starter',
  ];
  writeFileSync(join(folder, 'manifest.csv'), rows.join('\n'));

  test('has a calibration split of the sources that training holds out', () => {
    const files = splits.map((split) => readSamples(folder, split).map(({ file }) => file));

    expect(files).toEqual([['a.jpg'], ['b.jpg', 'd.png'], ['c.jpg', 'e.png', 'f.png', 'g.png']]);
  });

  test('states where else a generator has pictures', () => {
    const places = readSamples(folder, 'val').map(({ generatorIn }) => generatorIn);

    expect(places).toEqual(['val', 'train', 'calibration', 'val']);
  });

  test('is not measured if --model names a folder without a trace model', async () => {
    const none = await evaluate('--data', folder, '--model', folder);
    const locator = await evaluate('--data', folder, '--model', join(packagedDir, 'locate-1'));

    expect([none.code, locator.code]).toEqual([2, 2]);
    expect(none.stderr).toContain('contains no manifest.json');
    expect(locator.stderr).toContain('--model must name');
  });
});

test('a picture that cannot be read is named and left out, and the others are measured', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-evaluate-'));
  const rows = [
    'a.jpg,val,real,camera,one',
    'b.jpg,val,real,camera,two',
    'c.jpg,val,ai-generated,flux,three',
  ];
  writeFileSync(
    join(folder, 'manifest.csv'),
    ['file,split,label,generator,source', ...rows].join('\n'),
  );
  for (const name of ['a.jpg', 'c.jpg'])
    writeFileSync(join(folder, name), await sceneJpeg({ width: 320, height: 256, seed: 1 }));
  writeFileSync(join(folder, 'b.jpg'), 'no picture');

  const { stderr } = await evaluate(
    '--data',
    folder,
    '--traces',
    '--readings',
    join(folder, 'r.csv'),
  );

  expect(stderr).toContain('Left out b.jpg: ');
  const read = parseCsv(readFileSync(join(folder, 'r.csv'), 'utf8'))
    .slice(1)
    .map(([file]) => file);
  expect(new Set(read)).toEqual(new Set(['a.jpg', 'c.jpg']));
  rmSync(folder, { recursive: true });
});

test('a named model is measured from its folder, and its figures are recorded there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-evaluate-'));
  cpSync(join(packagedDir, 'trace-3'), folder, { recursive: true });
  const file = join(folder, 'manifest.json');
  const described = { ...readManifest(file), version: '9.0.0' };
  writeFileSync(file, JSON.stringify(described));

  const opened = await openModels(folder);
  record(join(opened.folder, 'manifest.json'), []);

  expect(opened.trace.manifest.version).toBe('9.0.0');
  expect(readManifest(file)).toEqual({ ...described, measured: [] });
  await Promise.all([opened.trace.release(), opened.locator.release()]);
  rmSync(folder, { recursive: true });
});

test('--help, even with other options, and an unknown option print the usage', async () => {
  const [asked, unknown] = await Promise.all([
    evaluate('--copies', '--help'),
    evaluate('--pictures'),
  ]);

  expect([asked.code, unknown.code]).toEqual([undefined, 2]);
  expect(asked.stdout).toMatch(/^`npm run evaluate -- .*--copies LIST/s);
  expect(unknown.stderr).toMatch(/--pictures.*npm run evaluate/s);
});

test('a file or folder that does not exist is rejected in one line before anything is measured', async () => {
  const refused = await Promise.all([
    evaluate('--copies', tmpdir()),
    evaluate('--ratios', '--model', tmpdir()),
    evaluate('--manipulated', '--pairs', tmpdir()),
    evaluate('--manipulated', '--figures', 'nowhere/figures.json'),
  ]);

  for (const { code, stderr } of refused) {
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^--[a-z]+[ :].*\.\n$/)]);
  }
});

function readManifest(file: string): object {
  return JSON.parse(readFileSync(file, 'utf8'));
}

async function evaluate(...options: readonly string[]) {
  const program = fileURLToPath(new URL('./evaluate.ts', import.meta.url));
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [program, ...options], (error, stdout, stderr) =>
      resolve({ code: error?.code, stdout, stderr }),
    );
  });
}
