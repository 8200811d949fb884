import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAuthority, withCredentials } from '../fixtures/content-credentials.ts';
import { newFolder } from '../fixtures/folder.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { refusedInOneLine, runCli } from './run-cli.ts';

const [picture, list] = [join(newFolder(), 'signed.jpg'), join(newFolder(), 'list.pem')];
const authority = await createAuthority('Authority of Tests');
const digitalSourceType = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
const signed = await withCredentials(await sceneJpeg({ width: 136, height: 130, seed: 2 }), {
  signer: await authority.issue('Signer of Tests'),
  actions: [{ action: 'c2pa.created', digitalSourceType }],
});
writeFileSync(picture, signed);
writeFileSync(list, authority.certificate);

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

  expect(ran).toEqual(refusedInOneLine(2, 'forensics: The trust list must be a readable PEM file'));
});
