import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../../fixtures/folder.ts';
import { verifyBundle } from '../../../src/evidence/verify.ts';
import type { CaseRecord } from '../../../src/evidence/records.ts';
import { openCaseBundle } from '../../../src/evidence/seal.ts';
import { writeBundle } from '../../../src/evidence/write-bundle.ts';
import { readEntries, repack } from './repack.ts';
import { newSigner, signedAt, smallCase } from './small-case.ts';

const signer = newSigner();
const inside = writeBundle(smallCase(), { withOriginal: true, signer, signedAt });
const listed = {
  analysisId: 'a'.repeat(24),
  name: 'street.jpg',
  status: 'completed',
  verdict: 'fake',
  file: 'picture-0001.zip',
  sha256: smallCase().examination.facts.sha256,
  manifestSha256: inside.manifestSha256,
} as const;

function caseBundle(picture: Partial<CaseRecord['pictures'][number]> = {}, bytes = inside.bytes) {
  const archive = openCaseBundle({ signer, signedAt, product: 'forensics 0.0.0' });
  const added = archive.add({ name: 'picture-0001.zip', bytes });
  const report = Buffer.from(`%PDF-1.7 (SHA-256 of another list)`);
  const record = { case: 'claim 4711', pictures: [{ ...listed, ...picture }] };
  const reports = { en: report, de: report };
  const { pieces } = archive.seal({ record, reports, examinedAt: signedAt });
  return Buffer.concat([...added, ...pieces]);
}

const problemsOf = async (bundle: Uint8Array) =>
  (await verifyBundle(bundle)).problems.map(({ kind, file }) => `${kind} ${file}`);

/** The reports above belong to no list. */
const reports = ['contradiction report-en.pdf', 'contradiction report-de.pdf'];

test('a case archive and each bundle in it are verified, from memory as from a file', async () => {
  const path = join(newFolder(), 'case.zip');
  await writeFile(path, caseBundle());

  const found = await verifyBundle(path);

  expect(found).toEqual(await verifyBundle(caseBundle()));
  expect(found).toMatchObject({
    key: { fingerprint: signer.fingerprint, isExpected: null },
    manifest: { item: { name: 'claim 4711' } },
    pictures: [{ file: 'picture-0001.zip', name: 'street.jpg', verdict: 'fake', holds: true }],
  });
});

test('a byte changed in, around or after a bundle is found', async () => {
  const bundle = caseBundle();
  const changedAt = (at: number) => {
    const changed = Buffer.from(bundle);
    changed[at]! ^= 1;
    return changed;
  };

  expect(await problemsOf(bundle)).toEqual(reports);
  expect(await problemsOf(changedAt(5000))).toContain('changed picture-0001.zip');
  // The time in the header of the first entry.
  expect(await problemsOf(changedAt(10))).toContain('container null');
  expect(await problemsOf(Buffer.concat([bundle, Buffer.alloc(9)]))).not.toEqual(reports);
});

test('a list of other pictures and a bundle with another key are contradictions', async () => {
  const other = writeBundle(smallCase(), { withOriginal: true, signer: newSigner(), signedAt });

  expect(await problemsOf(caseBundle({ verdict: 'real' }))).toContain('contradiction case.json');
  expect(await problemsOf(caseBundle({}, other.bytes))).toContain(
    'key picture-0001.zip/public-key.pem',
  );
});

test('a file whose list another program has compressed is closed again', async () => {
  const path = join(newFolder(), 'repacked.zip');
  await writeFile(path, await repack(await readEntries(caseBundle()), { compress: true }));
  const before = openFiles();

  await verifyBundle(path);

  expect(openFiles()).toBeLessThanOrEqual(before);
});

function openFiles(): number {
  return readdirSync('/proc/self/fd').length;
}
