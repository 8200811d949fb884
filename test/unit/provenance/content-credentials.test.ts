import { createServer } from 'node:http';
import * as check from 'fast-check';
import { describe, expect, test } from 'vitest';
import { manifestsIn, readCrJson } from '../../../src/provenance/c2pa-reader.ts';
import { createAuthority, withCredentials } from '../../fixtures/content-credentials.ts';
import { listen } from '../../fixtures/listen.ts';
import { jpegSegment, withSegments } from '../../fixtures/jpeg-segments.ts';
import { pngChunk, withChunks } from '../../fixtures/png-chunks.ts';
import { xmpPacket } from '../../fixtures/xmp.ts';
import { jpeg, png, provenanceOf, withXmp } from './files.ts';

const scheme = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const generated = {
  action: 'c2pa.created',
  digitalSourceType: `${scheme}trainedAlgorithmicMedia`,
  software: 'Acme Dream',
};
const captured = { action: 'c2pa.created', digitalSourceType: `${scheme}digitalCapture` };

type Signer = Parameters<typeof withCredentials>[1]['signer'];

const authority = await createAuthority('Authority of Tests');
const signer = await authority.issue('Signer of Tests');
const stranger = await (await createAuthority('Nobody')).issue('Stranger');
const signed = await withCredentials(jpeg, { signer, actions: [generated] });

const trusted = (bytes: Buffer) => provenanceOf(bytes, authority.certificate);

describe('integrity and trust', () => {
  test('a valid signature from a listed signer is reported with everything it covers', async () => {
    const { credentials, declarations } = await trusted(signed);

    expect(credentials).toMatchObject({
      integrity: 'valid',
      trust: 'trusted',
      trustListSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      trustListSince: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      signer: 'Signer of Tests',
      issuer: 'Authority of Tests',
      signedAt: null,
      hasTimestamp: false,
      claimGenerator: expect.stringMatching(/^c2pa-ts /),
      actions: [{ ...generated, when: null }],
      manifests: 1,
      problems: [],
      identities: [],
    });
    expect(declarations).toEqual([
      {
        origin: 'ai-generated',
        place: 'c2pa',
        field: 'c2pa.created',
        value: generated.digitalSourceType,
        generator: 'Acme Dream',
        assurance: 'trusted',
      },
    ]);
  });

  test('the library that wrote the entry is not named as the generator', async () => {
    const { digitalSourceType } = generated;
    const unnamed = { action: 'c2pa.created', digitalSourceType };
    const file = await withCredentials(jpeg, { signer, actions: [unnamed] });

    const { credentials, declarations } = await trusted(file);

    expect(credentials?.claimGenerator).toMatch(/^c2pa-ts /);
    expect(declarations).toMatchObject([{ origin: 'ai-generated', generator: null }]);
  });

  test('a PNG is read in the same way', async () => {
    const file = await withCredentials(png, { signer, actions: [captured] });

    const { credentials, declarations } = await trusted(file);

    expect(credentials).toMatchObject({ integrity: 'valid', trust: 'trusted' });
    expect(declarations).toMatchObject([
      { origin: 'captured', generator: null, assurance: 'trusted' },
    ]);
  });

  test('without a list the signature is checked, but not the signer', async () => {
    const { credentials, declarations } = await provenanceOf(signed);

    expect(credentials).toMatchObject({ integrity: 'valid', trust: 'not-checked' });
    expect(declarations).toMatchObject([{ assurance: 'signed' }]);
  });

  test('a signer from another authority is not trusted, whatever its name', async () => {
    const namesake = await (await createAuthority('Authority of Tests')).issue('Signer of Tests');
    const file = await withCredentials(jpeg, { signer: namesake, actions: [generated] });

    const { credentials, declarations } = await trusted(file);

    expect(credentials).toMatchObject({
      integrity: 'valid',
      trust: 'untrusted',
      problems: ['signingCredential.untrusted'],
    });
    expect(declarations).toMatchObject([{ assurance: 'signed' }]);
  });

  test('an expired certificate without a time stamp is not trusted', async () => {
    const old = await authority.issue('Old signer', new Date('2021-01-01T00:00:00Z'));
    const file = await withCredentials(jpeg, { signer: old, actions: [generated] });

    const { credentials } = await trusted(file);
    expect(credentials).toMatchObject({ integrity: 'valid', trust: 'untrusted' });
  });

  test.each([
    ['a quantisation step', signed.lastIndexOf(Buffer.from([0xff, 0xdb])) + 20, 'dataHash'],
    ['a claimed action', signed.indexOf('Acme Dream'), 'hashedURI'],
  ])('%s changed after signing breaks integrity and signature', async (_, at, hash) => {
    const changed = Buffer.from(signed);
    changed[at]! ^= 1;

    const { credentials, declarations } = await trusted(changed);

    const problems = [`assertion.${hash}.mismatch`];
    expect(credentials).toMatchObject({ integrity: 'broken', problems });
    expect(declarations).toMatchObject([{ origin: 'ai-generated', assurance: 'unsigned' }]);
  });

  test('the manifest of another picture does not match', async () => {
    const other = withSegments(jpeg, jpegSegment(0xfe, 'a comment more'));
    const head = signed.subarray(0, signed.length - jpeg.length + 2);
    const moved = Buffer.concat([head, other.subarray(2)]);

    expect((await trusted(moved)).credentials).toMatchObject({ integrity: 'broken' });
  });

  test('a violation of the format is a problem, but not a broken signature', async () => {
    const file = await withCredentials(jpeg, { signer, actions: [{ action: 'c2pa.created' }] });

    expect((await trusted(file)).credentials).toMatchObject({
      integrity: 'valid',
      trust: 'trusted',
      problems: ['assertion.action.malformed'],
    });
  });
});

describe('the history', () => {
  const edited = { action: 'c2pa.edited' };
  const filled = { action: 'c2pa.edited', digitalSourceType: generated.digitalSourceType };

  type Past = 'parentOf' | 'componentOf' | 'inputTo';
  async function historyOf(past: Past, first: Signer = signer, last: Signer = signer) {
    const before = await withCredentials(jpeg, { signer: first, actions: [generated] });
    return withCredentials(before, { signer: last, past, actions: [captured, edited] });
  }

  test('of a picture derived from a generated one declares it generated', async () => {
    const { credentials, declarations } = await trusted(await historyOf('parentOf'));

    expect(credentials).toMatchObject({ integrity: 'valid', manifests: 2 });
    expect(credentials?.actions.map(({ action }) => action)).toEqual([
      'c2pa.created',
      'c2pa.created',
      'c2pa.edited',
    ]);
    expect(declarations[0]).toMatchObject({ origin: 'ai-generated', assurance: 'trusted' });
  });

  test('of a picture with a generated part declares a manipulation', async () => {
    const { declarations } = await trusted(await historyOf('componentOf'));

    expect(declarations.map(({ origin }) => origin)).toEqual(['ai-manipulated', 'captured']);
  });

  test('ignores the input of a generator', async () => {
    const { declarations } = await trusted(await historyOf('inputTo'));

    expect(declarations.map(({ origin }) => origin)).toEqual(['captured']);
  });

  test.each([
    ['its last signer', () => historyOf('parentOf', signer, stranger)],
    ['its first signer', () => historyOf('parentOf', stranger, signer)],
  ])('counts for no more than %s', async (_, file) => {
    const { declarations } = await trusted(await file());

    const found = declarations.find(({ origin }) => origin === 'ai-generated');

    expect(found).toMatchObject({ assurance: 'signed' });
  });

  test('of a capture that was filled by a model declares a manipulation first', async () => {
    const file = await withCredentials(jpeg, { signer, actions: [captured, filled] });

    const { declarations } = await trusted(file);

    expect(declarations.map(({ origin }) => origin)).toEqual(['ai-manipulated', 'captured']);
  });
});

function referringTo(url: string): Buffer {
  const provenance = { 'dcterms:provenance': url };
  return withXmp(xmpPacket({ 'xmlns:dcterms': 'http://purl.org/dc/terms/', ...provenance }));
}

describe('no connection is opened', () => {
  test('by a file with a link to a remote manifest, with or without an embedded one', async () => {
    const server = await countingServer();
    const remote = referringTo(server.url);
    const both = await withCredentials(remote, { signer, actions: [generated] });
    const broken = withSegments(
      remote,
      jpegSegment(0xeb, 'JP\0\x01\0\0\0\x01\0\0\0\x40jumb\0\0\0\x20jumdc2pa'),
    );

    const found = [await trusted(remote), await trusted(both), await trusted(broken)];
    const direct = await readCrJson({ bytes: remote, mimeType: 'image/jpeg', trustList: null });

    const integrities = [undefined, 'valid', 'unreadable'];
    expect(found.map(({ credentials }) => credentials?.integrity)).toEqual(integrities);
    expect(found[0]?.warnings).toEqual([{ code: 'credentials_elsewhere', values: {} }]);
    expect(direct).toBeNull();
    expect(server.connections()).toBe(0);
  });

  test('although the library would open one if permitted', async () => {
    const server = await countingServer();
    const file = referringTo(server.url);
    const { readFile } = await import('node:fs/promises');
    const { initSync, WasmReader } = await import('@contentauth/c2pa-wasm');
    initSync({ module: await readFile('node_modules/@contentauth/c2pa-wasm/pkg/c2pa_bg.wasm') });

    await WasmReader.fromBytes('image/jpeg', file).catch(() => null);

    expect(server.connections()).toBeGreaterThan(0);
  });
});

describe('a broken store', () => {
  test('in an intact picture is unreadable and nothing worse', async () => {
    const at = signed.indexOf('c2pa.claim');
    const broken = Buffer.from(signed).fill(0x41, at - 40, at + 30);

    const { credentials, declarations } = await trusted(broken);

    const unreadable = { integrity: 'unreadable', trust: 'not-checked', manifests: 0 };
    expect(credentials).toMatchObject(unreadable);
    expect(declarations).toEqual([]);
  });

  test.each([0, 1, 7, 20, 33, 64, 200, 1000])(
    'truncated to %i bytes is read without throwing',
    async (length) => {
      const store = storeOf(signed).subarray(0, length);

      const { credentials } = await trusted(withChunks(png, pngChunk('caBX', store)));

      expect(credentials).toMatchObject({ integrity: 'unreadable' });
    },
  );

  test('damaged anywhere never gives a different statement with a valid signature', async () => {
    const { declarations: original } = await trusted(signed);
    const start = signed.indexOf('jumb');
    const positions = Array.from({ length: 24 }, (_, i) => start + 12 + i * i * 9);

    for (const position of positions) {
      const damaged = Buffer.from(signed);
      damaged[position]! ^= 0x21;
      const { credentials, declarations } = await trusted(damaged);
      if (credentials?.integrity === 'valid') expect(declarations).toEqual(original);
      else expect(declarations.every(({ assurance }) => assurance === 'unsigned')).toBe(true);
    }
  });
});

test('any library output is converted to manifests without throwing', () => {
  const { array, constantFrom, jsonValue, oneof, record } = check;
  const any = jsonValue();
  const assertions = check.dictionary(
    constantFrom('c2pa.actions', 'c2pa.actions.v2__2', 'c2pa.ingredient.v3', '__proto__'),
    oneof(any, record({ actions: array(any) })),
  );
  const validationResults = record({ success: any, failure: any });
  const manifest = record({ label: any, assertions, signature: any, validationResults });
  const shapes = oneof(any, record({ manifests: array(manifest) }));

  const { assert, property } = check;
  assert(
    property(shapes, (answer) => {
      for (const { label, actions, failures } of manifestsIn(answer)) {
        expect(label).toBeTypeOf('string');
        expect([Array.isArray(actions), Array.isArray(failures)]).toEqual([true, true]);
      }
    }),
  );
});

/** The bytes of the manifest store of a signed JPEG that fits into one segment. */
function storeOf(file: Buffer): Buffer {
  const at = file.indexOf('jumb') - 4;
  return file.subarray(at, at + file.readUInt32BE(at));
}

async function countingServer() {
  let connections = 0;
  const server = createServer((_request, response) => response.end());
  server.on('connection', () => connections++);
  const url = `http://127.0.0.1:${await listen(server)}/manifest.c2pa`;
  return { url, connections: () => connections };
}
