/** Files as sent by phones and offices, through a server that accepts everything, into signed evidence. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, runCli, runHere } from '../cli/run-cli.ts';
import { fileOf, formatScene } from '../fixtures/formats.ts';
import { makePdf } from '../fixtures/pdf-file.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { readEntries } from '../unit/evidence/repack.ts';
import { useServing } from './use-serving.ts';

const serving = useServing({ FORENSICS_INTAKE: 'everything' });
const { dataDir } = serving;

test('a HEIC file is examined, and the evidence holds its original bytes', async () => {
  const heic = await fileOf('heic');
  const { width, height } = formatScene;
  const options = { tier: 'forensicReporting' };
  const { client } = serving;
  const made = await client.create({ format: 'heic', width, height, options });
  await client.upload(made, heic);
  await client.send('POST', '/start', { id: made.id });
  const { inferenceStatus } = await client.until(made.id, ['completed', 'failed']);
  expect(inferenceStatus.status).toBe('completed');

  const out = join(await emptyFolder(), 'evidence.zip');
  const args = ['--tenant', 'default', '--data-dir', dataDir, '--out', out];
  const exported = await runHere(['report', made.id, ...args]);
  const reproduced = await runHere(['reproduce', out]);

  expect([exported.code, reproduced.code]).toEqual([0, 0]);
  const files = Object.values(await readEntries(await readFile(out)));
  expect(files.some((bytes) => heic.equals(bytes))).toBe(true);
});

test('the pictures of a PDF are submitted one by one', async () => {
  const cwd = await emptyFolder();
  const scene = await sceneJpeg({ width: 160, height: 120, seed: 7 });
  const claim = await makePdf(
    (pdf) => pdf.text('Claim 4711').image(scene, 72, 108, { width: 60 }),
    { size: 'A7', layout: 'landscape' },
  );
  await writeFile(join(cwd, 'claim.pdf'), claim);
  const { url, caPath, apiKey } = serving.ready;
  const there = ['--url', url, '--ca', caPath, '--tenant', 'default'];
  const ran = await runCli(['analyze', join(cwd, 'claim.pdf'), ...there, '--csv'], {
    env: { FORENSICS_API_KEY: apiKey ?? '' },
  });

  expect(ran.code).toBe(0);
  expect(ran.stdout.match(/claim\.pdf#page=1(?:&picture=1)?/g)).toEqual([
    'claim.pdf#page=1&picture=1',
    'claim.pdf#page=1',
  ]);
});
