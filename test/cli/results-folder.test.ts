import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFolderNames, openResultsFolder } from '../../src/cli/analyze/results-folder.ts';
import { emptyFolder } from './run-cli.ts';

const namesOf = (labels: readonly string[]) => labels.map(createFolderNames());

const files = new Map([['result.json', '{}\n']]);

test('pictures of the same name get separate folders, ignoring case', () => {
  const names = namesOf(['a/Photo.jpg', 'b/photo.PNG', 'photo-2.jpg', '-', 'stdin.jpg']);

  expect(names).toEqual(['Photo', 'photo-2', 'photo-2-2', 'stdin', 'stdin-2']);
});

test('thousands of pictures with one name get their folders quickly', () => {
  const names = namesOf(Array.from({ length: 50_000 }, (_, n) => `${n}/photo.jpg`));

  expect(new Set(names).size).toBe(50_000);
  expect(names.at(-1)).toBe('photo-50000');
});

test('folder names are safe on every system', () => {
  const labels = ['..jpg', 'CON.jpg', 'a:b*c?.png', '\u001b[2J\u202e.png', ' .hidden. .jpg'];

  expect(namesOf([...labels, `${'ä'.repeat(200)}.jpg`])).toEqual([
    'picture',
    'picture-CON',
    'a_b_c_',
    '_[2J_',
    'hidden',
    'ä'.repeat(60),
  ]);
});

test('existing results are kept unless --force is given', async () => {
  const dir = await emptyFolder();
  const careful = await openResultsFolder(dir, { force: false });
  const forced = await openResultsFolder(dir, { force: true });
  await careful.write('photo', files);

  await expect(careful.check('photo')).rejects.toMatchObject({ code: 'conflict' });
  await expect(careful.write('photo', files)).rejects.toMatchObject({ code: 'conflict' });
  const written = await forced.write('photo', new Map([['result.json', 'new']]));

  expect(written).toEqual([join(dir, 'photo', 'result.json')]);
  expect(await readFile(join(dir, 'photo', 'result.json'), 'utf8')).toBe('new');
  expect(await readdir(dir)).toEqual(['photo']);
});

test('a folder without results is never replaced', async () => {
  const dir = await emptyFolder();
  await mkdir(join(dir, 'photo'));
  await writeFile(join(dir, 'photo', 'diary.txt'), 'dear diary');
  const forced = await openResultsFolder(dir, { force: true });

  await expect(forced.write('photo', files)).rejects.toMatchObject({ code: 'conflict' });
  expect(await readdir(join(dir, 'photo'))).toEqual(['diary.txt']);
});

test('a file, or a folder that cannot be written to, is refused before anything is examined', async () => {
  const file = join(await emptyFolder(), 'file');
  await writeFile(file, '');
  // On Linux, even root cannot write there.
  const unwritable = process.platform === 'linux' ? [file, '/proc/self'] : [file];

  for (const path of unwritable) {
    await expect(openResultsFolder(path, { force: false })).rejects.toMatchObject({
      code: 'output_not_writable',
    });
  }
});
