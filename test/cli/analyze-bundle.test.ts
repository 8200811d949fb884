import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { readEntries } from '../unit/evidence/repack.ts';
import { emptyFolder, refused, runCli } from './run-cli.ts';

const scene = await sceneJpeg({ width: 160, height: 120, seed: 7 });

async function folderWith(name: string) {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, name), scene);
  const run = (args: readonly string[], dataDir = 'data') =>
    runCli(args, { cwd, env: { FORENSICS_DATA_DIR: dataDir } });
  const forensic = (...args: string[]) =>
    run(['analyze', ...args, '--tier', 'forensicReporting', '--out', 'out', '--quiet']);
  const bundle = (folder: string) => readFile(join(cwd, 'out', folder, 'evidence.zip'));
  return { cwd, run, forensic, bundle };
}

test('a first analysis produces a bundle that verifies and reproduces', async () => {
  // The file is a JPEG named .png, which adds a note; reproduction must be given that note too.
  const { cwd, run, forensic, bundle } = await folderWith('scene.png');

  const ran = await forensic('scene.png', '--lang', 'de');
  const key = await run(['signing-key', 'export']);
  await writeFile(join(cwd, 'key.pem'), key.stdout);
  const verified = await run(['verify', 'out/scene/evidence.zip', '--key', 'key.pem']);
  const reproduced = await run(['reproduce', 'out/scene/evidence.zip']);

  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(verified.code).toBe(0);
  expect(reproduced.stdout).toMatch(/^out\/scene\/evidence\.zip: IDENTICAL\n/);
  const files = await readEntries(await bundle('scene'));
  expect(files['original.jpg']).toEqual(scene);
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['report-en.pdf', 'report-de.pdf']));
  expect(await readdir(join(cwd, 'out', 'scene'))).not.toContain('report-en.pdf');
  expect(await readdir(join(cwd, 'data'))).toEqual(['signing-keys']);
}, 90_000);

test('--without-original leaves the picture out of the bundle', async () => {
  const { forensic, bundle } = await folderWith('scene.jpg');

  expect(await forensic('scene.jpg', '--without-original')).toMatchObject({ code: 0 });
  expect(await readEntries(await bundle('scene'))).not.toHaveProperty(['original.jpg']);
});

test('flagging creates no key; an unusable data folder stops the run before any picture is examined', async () => {
  const { cwd, run } = await folderWith('scene.jpg');
  await writeFile(join(cwd, 'file'), '');
  const args = ['analyze', 'scene.jpg', '--quiet', '--out'];

  const flagging = await run([...args, 'one']);
  const ran = await run([...args, 'two', '--tier', 'forensicReporting'], 'file/data');

  expect(flagging.code).toBe(0);
  expect(await readdir(cwd)).not.toContain('data');
  expect(ran).toEqual(
    refused(2, /^forensics: The data folder cannot be created; [^\n]+--data-dir\.\n$/),
  );
});
