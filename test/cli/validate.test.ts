import { readdir, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Validation } from '../../src/service/validation/validation.ts';
import { sceneJpeg, scenePng } from '../fixtures/pictures.ts';
import { readPages } from '../unit/render/pdf-text.ts';
import { refused, runHere, spawnCli } from './run-cli.ts';
import { type Files, folderWith } from './working-folder.ts';

/** Drawn scenes: only their folder makes them real or fake. */
const scenes: readonly Buffer[] = await Promise.all([
  ...[1, 2, 3].map((seed) => sceneJpeg({ width: 136, height: 132, seed })),
  scenePng({ width: 136, height: 132, seed: 4 }),
]);

const pair = (): Files => ({ 'real/a.jpg': scenes[0]!, 'fake/a.png': scenes[3]! });

/** With its own data folder next to the pictures. */
const whole = ['validate', '--real', 'real', '--fake', 'fake', '--data-dir', 'data', '--jobs', '1'];

const path = /^(?:\.|real|fake|data|none|empty|bad|record|results)/;

/** In this process, which is faster; paths are made absolute. */
function runIn(dir: string, args: readonly string[]) {
  return runHere(args.map((arg) => (path.test(arg) ? resolve(dir, arg) : arg)));
}

interface Document extends Validation {
  readonly warnings: readonly string[];
}

const parse = (text: string): Document => JSON.parse(text);

// Child processes load the model several times: slow on a busy machine.
describe('a validation', { timeout: 90_000 }, () => {
  test('counts measured pictures, names the failed ones and is stored', async () => {
    const dir = await folderWith({
      ...pair(),
      'real/camera/b.JPG': scenes[1]!,
      'real/camera/b-again.jpg': scenes[1]!,
      'real/both.jpg': scenes[2]!,
      'fake/deep/er/both-too.jpg': scenes[2]!,
      'real/broken.jpg': scenes[1]!.subarray(0, 900),
      'real/text.png': 'no picture',
      'real/notes.txt': 'not even called one',
    });
    await symlink('nowhere.jpg', join(dir, 'real', 'dangling.jpg'));
    await symlink('.', join(dir, 'real', 'loop'));

    const ran = await runIn(dir, [...whole, '--json', '--out', 'record.json']);

    const made = parse(ran.stdout);
    expect(ran.code).toBe(0);
    expect(made.pictures.real).toMatchObject({ found: 7, repeated: 1, failed: 3, measured: 2 });
    expect(made.pictures.fake).toMatchObject({ found: 2, repeated: 0, failed: 0, measured: 1 });
    expect(made.pictures.inBoth).toBe(2);
    for (const name of ['broken.jpg', 'text.png', 'dangling.jpg']) {
      expect(ran.stderr).toContain(`/real/${name}: `);
    }
    expect(made.conditions.map(({ condition }) => condition)).toEqual(['clean', 'web', 'hard']);
    for (const { strategies } of made.conditions) {
      const { real, fake } = strategies.relaxed;
      expect([real.wrong.of, fake.wrong.of]).toEqual([2, 1]);
    }
    expect(made.warnings[0]).toContain('Measured photographs: 2.');
    expect(ran.stderr).toContain(`--validation ${made.id}`);
    expect(parse(await readFile(join(dir, 'record.json'), 'utf8'))).toEqual(made);
    expect(await readdir(join(dir, 'data', 'validations'))).toEqual([`${made.id}.json`]);
    expect(await readdir(join(dir, 'data'))).toEqual(['validations']);
  });

  test('is shown, listed, cited and deleted by its id', async () => {
    // Too small for the hardest condition, which nothing here looks at.
    const size = { width: 80, height: 72 };
    const dir = await folderWith({
      'real/a.jpg': await sceneJpeg({ ...size, seed: 1 }),
      'fake/a.png': await scenePng({ ...size, seed: 4 }),
    });
    const { id } = parse((await runIn(dir, [...whole, '--json'])).stdout);
    const at = (...args: string[]) => runIn(dir, [...args, '--data-dir', 'data']);
    const report = ['analyze', 'real/a.jpg', '--tier', 'forensicReporting', '--lang', 'en'];

    const shown = await at('validate', 'show', id, '--strategy', 'all');
    const listed = await at('validate', 'list');
    const cited = await at(...report, '--out', 'results', '--validation', id);
    const deleted = await at('validate', 'delete', id);
    const gone = await at(...report, '--validation', id);

    for (const words of [`Validation ${id}`, 'Decision strategy relaxed', 'Warnings']) {
      expect(shown.stdout).toContain(words);
    }
    expect(listed.stdout).toContain(id);
    expect(cited.code).toBe(0);
    const pdf = await readFile(join(dir, 'results', 'a', 'report-en.pdf'));
    expect(readPages(pdf).some(({ text }) => text.includes(id))).toBe(true);
    expect(deleted).toMatchObject({ code: 0, stdout: '' });
    expect(gone).toMatchObject({ code: 4, stdout: '' });
    expect((await at('validate', 'list', '--json')).stdout).toBe('{\n  "validations": []\n}\n');
  });

  test('that is interrupted says so, stores nothing and ends with SIGINT', async () => {
    const copies = Array.from({ length: 40 }, (_, n) => [
      `real/${n}.jpg`,
      Buffer.concat([scenes[0]!, Buffer.from(String(n))]),
    ]);
    const broken = { 'real/0-broken.jpg': 'no picture' };
    const dir = await folderWith({ ...Object.fromEntries(copies), ...pair(), ...broken });

    const child = spawnCli(whole, { cwd: dir });
    child.stderr.on('data', (text) => String(text).includes('broken') && child.kill('SIGINT'));
    const { signal, stderr } = await child;

    expect(signal).toBe('SIGINT');
    expect(stderr).toMatch(/Stopped after \d+ of 43 pictures; nothing was stored\./);
    expect(await readdir(dir)).not.toContain('data');
  });
});

const both = '--real real --fake fake';

describe('validate refuses with a helpful line:', () => {
  test.each<[string, Files, string, number, string]>([
    ['no folder of photographs', {}, '--fake fake', 2, '--real is missing'],
    ['no folder of generated pictures', {}, '--real real', 2, '--fake is missing'],
    ['a folder that is not there', {}, '--real none --fake fake', 4, '--real: There'],
    ['a file', {}, '--real real/a.jpg --fake fake', 2, 'takes a folder'],
    ['standard input', {}, '--real - --fake fake', 2, 'takes a folder'],
    ['one folder twice', {}, '--real real --fake ./real', 2, 'name the same folder'],
    ['one folder inside the other', {}, '--real . --fake fake', 2, 'name the same folder'],
    [
      'an empty folder',
      { 'empty/.keep': '' },
      '--real real --fake empty',
      4,
      '--fake: There is no picture',
    ],
    [
      'the same pictures in both',
      { 'bad/b.png': 'x', 'fake/b.png': 'x' },
      '--real bad --fake fake',
      2,
      'Every picture in --real is also in --fake',
    ],
    [
      'no readable picture',
      { 'real/a.jpg': 'x', 'bad/a.jpg': 'y' },
      '--real real --fake bad',
      1,
      'None of the photographs (--real) could be examined',
    ],
    [
      'a file of --out that is there',
      { 'record.json': '' },
      `${both} --out record.json`,
      5,
      'add --force',
    ],
    [
      'a file of --out in no folder',
      {},
      `${both} --out none/record.json`,
      1,
      'cannot be written to (ENOENT: its folder does not exist)',
    ],
    ['an unknown model', {}, `${both} --model nope`, 4, 'There is no model "nope"'],
    ['no id that is known', {}, `show ${'a'.repeat(24)}`, 4, 'There is no validation'],
  ])('%s', async (_, files, args, code, message) => {
    const cwd = await folderWith({ ...pair(), ...files });

    const ran = await runIn(cwd, ['validate', ...args.split(' '), '--data-dir', 'data']);

    expect(ran).toEqual(refused(code, message));
    expect(ran.stderr.trim().split('\n').at(-1)).toMatch(/^forensics: /);
    expect(await readdir(cwd)).not.toContain('data');
  });
});
