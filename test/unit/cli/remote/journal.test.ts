import fs, { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openJournal, readPicture } from '../../../../src/cli/analyze/remote/submit.ts';
import type { CreateRequest } from '../../../../src/contract/analysis.ts';
import { newFolder } from '../../../fixtures/folder.ts';
import { sceneJpeg } from '../../../fixtures/pictures.ts';

const place = { origin: 'https://forensics.example:8443', tenantName: 'acme' };
const sha256 = 'ab'.repeat(32);
const request: CreateRequest = {
  name: 'a.jpg',
  type: 'image',
  input: {
    format: 'jpg',
    version: 'v1',
    width: 640,
    height: 480,
    filename: 'a.jpg',
    options: { tier: 'flagging', decisionStrategy: 'default', seed: 1337 },
  },
};

const journalIn = (folder: string, where = place) => openJournal(where, { XDG_STATE_HOME: folder });

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name));

test('a request is found again by content and options, whatever its name', () => {
  const folder = newFolder();
  const begun = journalIn(folder).begin(sha256, request);
  journalIn(folder).note(sha256, { ...begun, analysisId: '65f1' });

  const found = journalIn(folder).resume(sha256, { ...request, name: 'copy-of-a.jpg' });

  expect(found).toEqual({ ...begun, analysisId: '65f1' });
});

test('a picture that only a server for every format accepts is found again, too', () => {
  const folder = newFolder();
  const large = { ...request.input, format: 'heic', width: 8064, height: 6048 } as const;
  const begun = journalIn(folder).begin(sha256, { ...request, input: large });

  expect(journalIn(folder).resume(sha256, { ...request, input: large })).toEqual(begun);
});

test('other content, options, tenants and servers are separate requests', () => {
  const folder = newFolder();
  const begun = journalIn(folder).begin(sha256, request);
  const { input } = request;
  const forensic = { ...input.options, tier: 'forensicReporting' } as const;
  const elsewhere = { ...place, origin: 'https://other.example' };

  const others = [
    journalIn(folder).resume('cd'.repeat(32), request),
    journalIn(folder).resume(sha256, { ...request, input: { ...input, options: forensic } }),
    journalIn(folder, { ...place, tenantName: 'other' }).resume(sha256, request),
    journalIn(folder, elsewhere).resume(sha256, request),
  ];

  const keys = [begun, ...others].map(({ idempotencyKey }) => idempotencyKey);
  expect(new Set(keys).size).toBe(5);
});

test('a new run uses a new key, and a forgotten request starts again', () => {
  const journal = journalIn(newFolder());
  const first = journal.begin(sha256, request);
  const second = journal.begin(sha256, request);
  journal.forget(sha256, second);
  const third = journal.resume(sha256, request);

  const keys = [first, second, third].map(({ idempotencyKey }) => idempotencyKey);
  expect(new Set(keys).size).toBe(3);
});

test('two processes that find no earlier request at the same moment use the same key', () => {
  const folder = newFolder();
  const others: string[] = [];
  const { readFileSync } = fs;
  // The other process acts just after this one has found nothing.
  const reading = vi.spyOn(fs, 'readFileSync').mockImplementationOnce((...args) => {
    try {
      return readFileSync(...args);
    } finally {
      others.push(journalIn(folder).resume(sha256, request).idempotencyKey);
    }
  });
  syncBuiltinESMExports();

  const { idempotencyKey } = journalIn(folder).resume(sha256, request);
  reading.mockRestore();
  syncBuiltinESMExports();

  expect(others).toEqual([idempotencyKey]);
});

test.for(['', '{"analysisId":"65f1"}', '{"half'])(
  'a request whose file holds %j starts again',
  (text) => {
    const folder = newFolder();
    journalIn(folder).begin(sha256, request);
    const [file] = filesIn(folder);
    writeFileSync(file!, text);

    const resumed = journalIn(folder).resume(sha256, request);

    expect(resumed.analysisId).toBeNull();
    expect(journalIn(folder).resume(sha256, request)).toEqual(resumed);
  },
);

test('entries older than three months are removed', () => {
  const folder = newFolder();
  journalIn(folder).begin(sha256, request);
  const [file] = filesIn(folder);
  const before = Date.now() / 1000 - 91 * 86_400;
  utimesSync(file!, before, before);

  journalIn(folder);

  expect(filesIn(folder)).toEqual([]);
});

test('the error about an unwritable state folder names XDG_STATE_HOME', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'forensics'), 'in the way');

  expect(() => journalIn(folder)).toThrow(/XDG_STATE_HOME/);
});

test('a picture that EXIF rotates is sent with its size as displayed', async () => {
  const bytes = await sceneJpeg({ width: 96, height: 72, seed: 1, orientation: 6 });

  const picture = await readPicture({ label: '-', path: null, failure: null, content: { bytes } });

  expect(picture).toMatchObject({ width: 96, height: 72 });
});
