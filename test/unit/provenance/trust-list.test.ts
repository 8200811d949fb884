import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTrustList } from '../../../src/provenance/c2pa-reader.ts';
import { createAuthority } from '../../fixtures/content-credentials.ts';

const folder = mkdtempSync(join(tmpdir(), 'forensics-trust-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const file = join(folder, 'list.pem');
  writeFileSync(file, text);
  return file;
}

test('all certificates are read, without the text between them', async () => {
  const [one, two] = [await createAuthority('One'), await createAuthority('Two')];
  const file = fileOf(`# the first\n${one.certificate}\nsome words\n${two.certificate}\n`);

  const list = readTrustList(file);

  expect(list?.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  expect(list).not.toContain('words');
});

test.each([
  ['an empty file', ''],
  ['a text', 'trust me'],
  ['a key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
  ['a broken certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
])('%s is refused', (_, text) => {
  expect(() => readTrustList(fileOf(text))).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      message: expect.not.stringContaining(folder),
    }),
  );
});

test('a list with one broken certificate is refused, as the gap would go unnoticed', async () => {
  const { certificate } = await createAuthority('One');
  const broken = certificate.replace('MI', 'AA');

  expect(() => readTrustList(fileOf(`${certificate}\n${broken}`))).toThrow('trust list');
});

test('a missing file is refused', () => {
  expect(() => readTrustList(join(folder, 'absent.pem'))).toThrow('trust list');
});
