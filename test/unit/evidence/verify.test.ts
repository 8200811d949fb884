import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openArchive } from '../../../src/evidence/archive.ts';
import { parseManifest, type Problem } from '../../../src/evidence/bundle-format.ts';
import { sealBundle } from '../../../src/evidence/seal.ts';
import { verifyBundle } from '../../../src/evidence/verify.ts';
import { makeExamination } from '../present/examination.ts';
import { archiveOf, inOldFormat, readEntries, repack } from './repack.ts';
import {
  bundleWith,
  manyNumbers,
  newSigner,
  pngOf,
  resealed,
  smallBundle,
  smallCase,
} from './small-case.ts';

/** In `npm run check:long`. */
const everyBit = process.env['FORENSICS_TEST_BITS'] === 'every';

const short = ({ kind, file }: Problem) => (file === null ? kind : `${kind} ${file}`);

async function problemsOf(bundle: Uint8Array): Promise<readonly string[]> {
  const { holds, problems } = await verifyBundle(bundle);
  expect(holds).toBe(problems.length === 0);
  return problems.map(short);
}

/** Inserts a member of 50,000 levels before `member`. */
function nested(json: string, member: string): string {
  return json.replace(member, `"a":${'['.repeat(50_000)}${']'.repeat(50_000)},${member}`);
}

/** Signed again after these files were replaced. */
const replacing = async (files: Readonly<Record<string, Uint8Array>>) =>
  resealed({ ...(await readEntries(smallBundle())), ...files });

const manyObjects = (sizeBytes: number) => Buffer.from(`[${'{},'.repeat(sizeBytes / 3)}{}]`);

async function resultIn(bundle: Uint8Array): Promise<string> {
  const { 'result.json': result } = await readEntries(bundle);
  return Buffer.from(result!).toString();
}

describe('a bundle as it was written', () => {
  test('verifies, and names the key, the picture and the verdict', async () => {
    const signer = newSigner();

    const found = await verifyBundle(smallBundle({ signer }));

    expect(found).toMatchObject({
      holds: true,
      problems: [],
      key: { fingerprint: signer.fingerprint, isExpected: null },
      manifest: { item: { name: 'street.jpg', file: 'original.jpg' } },
      verdict: 'fake',
    });
  });

  test('verifies if it was written before bundles were compressed', async () => {
    const signer = newSigner();
    const old = inOldFormat(smallBundle({ signer }), 'forensics-evidence-bundle/2', signer);

    expect(await problemsOf(await old)).toEqual([]);
  });

  test('verifies without its picture, and then contains none of its metadata', async () => {
    const bundle = smallBundle({ withOriginal: false });

    const found = await verifyBundle(bundle);

    expect(found).toMatchObject({ holds: true, manifest: { item: { file: null } } });
    expect(await resultIn(bundle)).not.toContain('ExposureTime');
    expect(await resultIn(smallBundle())).toContain('ExposureTime');
  });

  test('has the same bytes if written again with the same key and time', () => {
    const signer = newSigner();

    expect(smallBundle({ signer })).toEqual(smallBundle({ signer }));
  });

  test('verifies with any file name', async () => {
    const name = '../../\u202Egnp.\uD800"\n.jpg';

    const found = await verifyBundle(smallBundle({}, { item: { ...smallCase().item, name } }));

    const shown = { name: name.replace('\uD800', '\uFFFD') };
    expect(found).toMatchObject({ holds: true, manifest: { item: shown } });
  });
});

describe('the key', () => {
  test('that was expected is distinguished from any other', async () => {
    const signer = newSigner();
    const bundle = smallBundle({ signer });

    const right = await verifyBundle(bundle, { fingerprint: signer.fingerprint });
    const wrong = await verifyBundle(bundle, { fingerprint: newSigner().fingerprint });

    expect(right).toMatchObject({ holds: true, key: { isExpected: true } });
    expect(wrong).toMatchObject({ holds: false, key: { isExpected: false } });
    expect(wrong.problems.map(short)).toEqual(['key public-key.pem']);
  });

  test('cannot be swapped, nor can the signature, for another bundle’s', async () => {
    const mine = await readEntries(smallBundle());
    const other = await readEntries(smallBundle({}, { openedAs: null }));
    const exchanged = (name: string) => repack({ ...mine, [name]: other[name]! });

    expect(await problemsOf(await exchanged('public-key.pem'))).toContain('signature manifest.sig');
    expect(await problemsOf(await exchanged('manifest.sig'))).toContain('signature manifest.sig');
    expect(await problemsOf(await exchanged('manifest.json'))).toContain('signature manifest.sig');
  });

  test('cannot claim another fingerprint', async () => {
    const signer = { ...newSigner(), fingerprint: newSigner().fingerprint };

    expect(await problemsOf(smallBundle({ signer }))).toContain('signature manifest.sig');
  });
});

describe('every change is detected and named:', () => {
  test('a manifest nested 50,000 levels deep', async () => {
    const { 'manifest.json': list, ...entries } = await readEntries(smallBundle());
    const deep = Buffer.from(nested(Buffer.from(list!).toString('utf8'), '"algorithm"'));

    const found = await problemsOf(await repack({ 'manifest.json': deep, ...entries }));

    expect(found).toEqual(['changed manifest.json']);
  });

  test('a manifest too large for any bundle, before it is parsed', async () => {
    const { 'manifest.json': _, ...entries } = await readEntries(smallBundle());
    const list = { 'manifest.json': manyObjects(1_000_000) };
    const bundle = { ...list, ...entries, pad: randomBytes(200_000) };

    expect(await problemsOf(await repack(bundle, { compress: true }))).toEqual(['container']);
    expect(parseManifest(bundle['manifest.json'])).toBeNull();
  });

  test('any changed bit of an archive, or one of each byte that is signed or hashed', async () => {
    const { product, examinedAt, item } = (await verifyBundle(smallBundle())).manifest!;
    const facts = { product, examinedAt, signedAt: examinedAt, item: { ...item, file: null } };
    const files = [{ name: 'result.json', bytes: Buffer.from('{"verdict":"fake"}') }];
    const bundle = Buffer.from(sealBundle(files, facts, newSigner()).bytes);
    // It lacks most files of a bundle, so that every bit can be tried.
    const lacking = (await verifyBundle(bundle)).problems.map(short);
    const { 'manifest.sig': _, ...hashed } = await readEntries(bundle);
    const contents = Object.values(hashed).map((bytes) => {
      return { bytes, start: bundle.indexOf(bytes) };
    });
    const isHashed = (at: number) =>
      contents.some(({ bytes, start }) => start > 0 && at >= start && at < start + bytes.length);
    const missed: string[] = [];

    for (let at = 0; at < bundle.length; at++) {
      const bits = isHashed(at) && !everyBit ? [at & 7] : [0, 1, 2, 3, 4, 5, 6, 7];
      for (const bit of bits) {
        bundle[at]! ^= 1 << bit;
        const found = await problemsOf(bundle);
        if (found.every((problem) => lacking.includes(problem))) missed.push(`${at}.${bit}`);
        bundle[at]! ^= 1 << bit;
      }
    }

    expect(missed).toEqual([]);
  }, 60_000);

  test('any changed byte of a full bundle', async () => {
    const bundle = smallBundle();
    const missed: number[] = [];

    for (let at = 0; at < bundle.length; at += 1 + (at % (everyBit ? 29 : 61))) {
      bundle[at]! ^= 1 << (at & 7);
      if ((await verifyBundle(bundle)).holds) missed.push(at);
      bundle[at]! ^= 1 << (at & 7);
    }

    expect(missed).toEqual([]);
    expect((await verifyBundle(bundle)).holds).toBe(true);
  });

  test('truncation at any length', async () => {
    const bundle = smallBundle();
    const held: number[] = [];

    for (let length = 0; length < bundle.length; length += 7) {
      const cut = bundle.subarray(0, length);
      const holds = await verifyBundle(cut).then(
        (found) => found.holds,
        (error: { code: string }) => error.code !== 'bundle_unreadable',
      );
      if (holds) held.push(length);
    }

    expect(held).toEqual([]);
  });

  test.for(['report-en.pdf', 'original.jpg'])('a changed byte of %s', async (name) => {
    const bundle = smallBundle();
    const header = new RegExp(`PK\\x03\\x04[^]{26}${name}`).exec(bundle.toString('latin1'))!;
    bundle[header.index + header[0].length + 9]! ^= 1;

    expect(await problemsOf(bundle)).toEqual([`changed ${name}`]);
    // The permissions, in the directory.
    bundle[bundle.lastIndexOf(name) - 8]! ^= 1;
    expect(await problemsOf(bundle)).toEqual([`changed ${name}`, 'container']);
  });

  test('other compressed bytes for the same content', async () => {
    const whole = smallBundle();
    const entries = await readEntries(whole);
    const { 'manifest.json': list, 'manifest.sig': signature } = entries;
    const { manifest } = await verifyBundle(whole);
    const files = manifest!.files.map(({ name, packedSha256 }) => {
      const bytes = entries[name]!;
      const packed = packedSha256 && { packed: deflateRawSync(bytes, { level: 1 }) };
      return { name, bytes, ...packed };
    });

    const other = archiveOf(list!, signature!, files, manifest!);

    expect(await problemsOf(other)).toEqual(['container']);
  });

  test('bytes before, after and in a comment of the archive', async () => {
    const bundle = smallBundle();
    const commented = Buffer.concat([bundle, Buffer.from('hi')]);
    commented.writeUInt16LE(2, bundle.length - 2);

    expect(await problemsOf(Buffer.concat([Buffer.from('#!'), bundle]))).toEqual(['container']);
    expect(await problemsOf(Buffer.concat([bundle, Buffer.from('PK')]))).toEqual(['container']);
    expect(await problemsOf(commented)).toEqual(['container']);
  });

  test('files that were added, removed or duplicated', async () => {
    const entries = await readEntries(smallBundle());
    const { 'report-de.pdf': _, ...fewer } = entries;

    const added = await repack({ ...entries, 'virus.exe': Buffer.of(1) });
    const doubled = await repack(entries, { twice: 'result.json' });
    expect(await problemsOf(added)).toContain('added virus.exe');
    expect(await problemsOf(await repack(fewer))).toContain('missing report-de.pdf');
    expect(await problemsOf(doubled)).toContain('added result.json');
  });

  test('a second file with the same name, which is never confused with the first', async () => {
    const entries = await readEntries(smallBundle());
    const forged = Buffer.from(JSON.stringify({ verdict: 'real' }));
    // As long as the real name, so that it can be overwritten in place.
    const packed = await repack({ ...entries, 'forged.json': forged });
    const renamed = packed.toString('latin1').replaceAll('forged.json', 'result.json');
    const doubled = Buffer.from(renamed, 'latin1');

    const found = await verifyBundle(doubled);

    expect(found.problems.map(short)).toContain('added result.json');
    expect(found.verdict).toBe('fake');
  });

  test('another packing of the same files, compressed or not', async () => {
    const entries = await readEntries(smallBundle());

    expect(await problemsOf(await repack(entries))).toEqual(['container']);
    expect(await problemsOf(await repack(entries, { compress: true }))).toEqual(['container']);
  });
});

describe('signed parts that contradict each other:', () => {
  const { examination, rendering, item } = smallCase();
  const otherOriginal = { name: 'original', sha256: 'ab'.repeat(32) };
  const strategy = '"decisionStrategy"';

  test('a result about another picture', async () => {
    const { sha256, sha512, md5 } = makeExamination().facts;
    const other = { ...examination, facts: { ...examination.facts, sha256, sha512, md5 } };
    const found = await verifyBundle(smallBundle({}, { examination: other, rendering }));

    expect(found.key).not.toBeNull();
    expect(found.problems.map(short)).toEqual([
      'contradiction custody.json',
      'contradiction original.jpg',
      'contradiction report-en.pdf',
      'contradiction report-de.pdf',
    ]);
  });

  test('a heatmap and raw map of another size, and a report that is not one', async () => {
    const { heatmaps, rawMaps, reports } = rendering;
    const wrong = {
      ...rendering,
      rawMaps: { ...rawMaps, real: pngOf({ width: 64, height: 32 }) },
      heatmaps: { ...heatmaps, fake: pngOf({ width: 63, height: 32 }) },
      reports: {
        en: { ...reports.en!, html: '<!doctype html>' },
        de: { ...reports.de!, pdf: Buffer.from('%PDF-1.7') },
      },
    };

    expect(await problemsOf(smallBundle({}, { rendering: wrong }))).toEqual([
      'contradiction map-real.png',
      'contradiction heatmap-fake.png',
      'contradiction report-en.html',
      'contradiction report-de.pdf',
    ]);
  });

  test('a result with so many values that it would fill the memory', async () => {
    const result = await resultIn(smallBundle());
    const many = `{"a":${manyObjects(3_000_000).toString()},${result.slice(1)}`;
    const files = { 'result.json': Buffer.from(many), 'pad.bin': randomBytes(200_000) };

    expect(await problemsOf(await replacing(files))).toContain('contradiction result.json');
  });

  test('a map that is not a list of numbers, however long it is', async () => {
    const map = manyNumbers(1000);
    const others = [map.replace(',', ',,'), map.replace(']', ',]'), map.replace(',', ',1-')];

    expect(await problemsOf(await bundleWith([map]))).toEqual([]);
    for (const other of others) {
      expect(await problemsOf(await bundleWith([other]))).toEqual(['contradiction result.json']);
    }
  });

  test('a bundle without a report, even if the list agrees', async () => {
    const { manifest } = await verifyBundle(smallBundle());
    const { product, examinedAt, item: listed } = manifest!;
    const facts = { product, examinedAt, signedAt: examinedAt, item: listed };
    const sealed = sealBundle([], facts, newSigner());

    const found = await problemsOf(sealed.bytes);

    expect(found).toHaveLength(16);
    const missing = ['missing report-en.pdf', 'missing original.jpg'];
    expect(found).toEqual(expect.arrayContaining(missing));
  });

  test.each<[string, string | RegExp, string]>([
    ['of a run elsewhere', '"environment":{', '"environment":{"a":"b",'],
    ['of another localisation model', '"locate.onnx":"c3', '"locate.onnx":"c4'],
    ['of another seed', /"seed":\d+/, '"seed":41'],
    ['of another strategy', /"decisionStrategy":"\w+"/, '"decisionStrategy":"relaxed"'],
    ['nested 50,000 levels deep', strategy, nested(strategy, strategy)],
  ])('settings %s', async (_, part, other) => {
    const { 'settings.json': settings } = await readEntries(smallBundle());
    const changed = Buffer.from(Buffer.from(settings!).toString('utf8').replace(part, other));

    const found = await problemsOf(await replacing({ 'settings.json': changed }));

    expect(found).toEqual(['contradiction settings.json']);
  });

  test.each(
    Object.entries({
      'of another picture': [
        { at: '', actor: 'service', event: 'received', hashes: [otherOriginal] },
      ],
      'that is invalid': {},
    }),
  )('a chain of custody %s', async (_, custody) => {
    const changed = Buffer.from(JSON.stringify(custody));

    const found = await problemsOf(await replacing({ 'custody.json': changed }));

    expect(found).toEqual(['contradiction custody.json']);
  });

  test('settings and list that state different times', async () => {
    const later = { ...item, examinedAt: new Date('2026-03-05T00:00:00.000Z') };
    const { 'settings.json': settings } = await readEntries(smallBundle({}, { item: later }));

    const swapped = await replacing({ 'settings.json': settings! });

    expect(await problemsOf(swapped)).toEqual(['contradiction settings.json']);
  });
});

describe('a file that is not a bundle', () => {
  test.for([
    ['nothing', Buffer.alloc(0)],
    ['a text', Buffer.from('hello')],
    ['a zip archive of something else', null],
  ] as const)('%s is refused as such', async ([, bytes]) => {
    const file = bytes ?? (await repack({ 'a.txt': Buffer.from('a') }));

    await expect(verifyBundle(file)).rejects.toMatchObject({ code: 'bundle_unreadable' });
  });

  test('files that share bytes of the archive are not unpacked', async () => {
    const some = Buffer.alloc(100);
    const mark = 'PK\u0001\u0002';
    const bytes = Buffer.from(await repack({ 'manifest.json': some, a: some, b: some }));
    // Each entry of the directory (signature PK 1 2) claims half of the archive: its size is at 20.
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 4)) {
      for (const size of [20, 24]) bytes.writeUInt32LE(Math.floor(bytes.length / 2), at + size);
    }

    expect(await openArchive(bytes)).toBeNull();
  });

  test('a decompression bomb is not unpacked', async () => {
    const bomb = { 'manifest.json': Buffer.alloc(50_000_000), 'manifest.sig': Buffer.alloc(64) };

    expect(await problemsOf(await repack(bomb, { compress: true }))).toEqual(['container']);
  });
});
