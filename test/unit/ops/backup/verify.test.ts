import { once } from 'node:events';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { verifyBackup } from '../../../../src/ops/backup/verify.ts';
import { currentSchema } from '../../../../src/ports/db/migrations.ts';
import { temporaryFolder } from '../../ports/db/temporary.ts';
import { backedUp, backUp, evidence, smallFolder, upload } from './small-backup.ts';
import { withoutEntry } from './without-entry.ts';
import { refusal } from '../../../fixtures/refusal.ts';

let cached: Buffer | null = null;

/** One backup for all tests. */
async function saved(): Promise<Buffer> {
  if (cached !== null) return cached;
  const small = await backedUp();
  return (cached = readFileSync(small.out));
}

function fileWith(content: Buffer): string {
  const file = join(temporaryFolder(), 'backup.tar');
  writeFileSync(file, content);
  return file;
}

/** Some positions in each file of the archive. */
function* placesIn(bytes: Buffer): Generator<number> {
  for (let at = 0; bytes[at] !== 0; ) {
    const start = at + 512;
    const size = Number.parseInt(bytes.toString('latin1', at + 124, at + 135), 8);
    if (bytes.toString('latin1', at + 156, at + 157) === '0') {
      for (let place = start; place < start + size; place += 4099) yield place;
    }
    at = start + 512 * Math.ceil(size / 512);
  }
}

test('a flipped byte is detected in every file', async () => {
  const bytes = await saved();
  const file = fileWith(bytes);
  const unseen: number[] = [];
  for (const at of placesIn(bytes)) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 0x01;
    writeFileSync(file, changed);
    const { problems } = await verifyBackup(file);
    if (problems.length === 0) unseen.push(at);
  }

  expect(unseen).toEqual([]);
}, 120_000);

test('an overlong list of hashes is not read into memory', async () => {
  const sizeBytes = 500_000_000;
  const heads = [await headOf('forensics.db', 0), await headOf('SHA256SUMS', sizeBytes)];
  const file = fileWith(Buffer.concat(heads));
  // Sparse zeros take no space on the disk.
  truncateSync(file, 2 * sizeBytes);

  const { problems } = await verifyBackup(file);

  expect(problems[0]).toBe('SHA256SUMS is too long.');
});

test('a backup truncated at any length is detected', async () => {
  const bytes = await saved();
  const file = fileWith(bytes);
  const unseen: number[] = [];
  for (let length = bytes.length - 1; length > 600; length -= 3001) {
    truncateSync(file, length);
    if ((await verifyBackup(file)).problems.length === 0) unseen.push(length);
  }

  expect(unseen).toEqual([]);
});

test('data appended after the end and duplicate files are reported', async () => {
  const bytes = await saved();
  const first = bytes.subarray(0, bytes.indexOf('master.key', 0, 'latin1'));
  const [added, twice] = [Buffer.concat([bytes, Buffer.alloc(512)]), Buffer.concat([first, bytes])];

  const problems = await Promise.all(
    [added, twice].map(async (b) => (await verifyBackup(fileWith(b))).problems[0]),
  );

  expect(problems).toEqual(['Data was appended after its end.', 'forensics.db appears twice.']);
});

test('an object named by a row but neither present nor listed as absent is reported', async () => {
  const file = fileWith(await withoutEntry(await saved(), evidence.path));

  const { problems } = await verifyBackup(file);

  expect(problems).toEqual([`${evidence.path} is missing although a row refers to it.`]);
});

test('an object that was absent at backup time is not reported', async () => {
  const small = await smallFolder();
  rmSync(join(small.dataDir, upload.path));
  await backUp(small);

  expect(await verifyBackup(small.out)).toMatchObject({ problems: [] });
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a picture', Buffer.alloc(4096, 0xd8)],
  ['another archive', await headOf('holiday.jpg', 0)],
])('%s is not a valid backup', async (_what, content) => {
  const attempt = verifyBackup(fileWith(content));

  if (content.length === 0) {
    expect((await attempt).problems[0]).toContain('is cut off');
  } else {
    await expect(attempt).rejects.toMatchObject({ code: 'backup_unreadable' });
  }
});

test('a backup with a newer schema is refused with the version to install', async () => {
  const small = await smallFolder();
  small.db.$client.pragma(`user_version = ${currentSchema('sqlite') + 1}`);
  await backUp(small);

  await expect(verifyBackup(small.out)).rejects.toEqual(refusal('schema_newer', '1.2.3'));
});

/** The header block of an entry in a tar archive. */
async function headOf(name: string, size: number): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name, size, mtime: new Date(1_700_000_000_000) });
  const [block]: unknown[] = await once(tar, 'data');
  if (!Buffer.isBuffer(block)) throw new TypeError('A pack gives buffers.');
  return block;
}
