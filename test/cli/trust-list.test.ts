import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthority, withCredentials } from '../fixtures/content-credentials.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { runCli } from './run-cli.ts';

let folder: string;
let picture: string;
let list: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forensics-trust-list-'));
  picture = join(folder, 'signed.jpg');
  list = join(folder, 'list.pem');
  const authority = await createAuthority('Authority of Tests');
  const digitalSourceType =
    'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
  const signed = await withCredentials(await sceneJpeg({ width: 136, height: 130, seed: 2 }), {
    signer: await authority.issue('Signer of Tests'),
    actions: [{ action: 'c2pa.created', digitalSourceType }],
  });
  await writeFile(picture, signed);
  await writeFile(list, authority.certificate);
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ['the option', () => ({ args: ['--trust-list', list], env: {} })],
  ['the environment', () => ({ args: [], env: { FORENSICS_C2PA_TRUST_LIST: list } })],
])('a trusted declaration decides with a trust list from %s', async (_, how) => {
  const { args, env } = how();

  const ran = await runCli(['analyze', picture, '--fail-on', 'fake', ...args], { env });

  expect(ran.code).toBe(10);
});

test('an invalid trust list is reported at once, with exit code 2', async () => {
  const ran = await runCli(['analyze', picture, '--trust-list', picture]);

  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toMatch(/^forensics: The trust list must be a readable PEM file[^\n]+\n$/);
});
