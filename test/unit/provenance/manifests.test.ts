import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { manifestsIn, readTrustList } from '../../../src/provenance/c2pa-reader.ts';
import { createAuthority } from '../../fixtures/content-credentials.ts';
import { newFolder } from '../../fixtures/folder.ts';

const url = 'self#jumbf=/c2pa/urn:uuid:1';

test('a version 2 manifest is read with its time stamp and all its actions', () => {
  const when = '2026-01-01T00:00:00Z';
  const manifest = {
    label: 'urn:c2pa:2',
    isUpdateManifest: true,
    'claim.v2': { claim_generator_info: { name: 'Painter', version: '9' } },
    assertions: {
      'c2pa.actions.v2': {
        actions: [{ action: 'c2pa.opened', softwareAgent: { name: 'Painter' } }],
      },
      'c2pa.actions.v2__1': { actions: [{ action: 'c2pa.edited', when }] },
      'c2pa.ingredient.v3': { relationship: 'parentOf', activeManifest: { url } },
      'c2pa.hash.data': {},
    },
    signature: {
      certificateInfo: { subject: { CN: 'Signer', O: 'Works' }, issuer: { O: 'Authority' } },
      timeStampInfo: { timestamp: '2026-01-02T00:00:00+00:00' },
    },
    validationResults: { success: [{ code: 'timeStamp.validated' }], failure: [{ code: 'x.y' }] },
  };

  expect(manifestsIn({ manifests: [manifest] })).toMatchObject([
    {
      label: 'urn:c2pa:2',
      isUpdate: true,
      signer: 'Signer (Works)',
      issuer: 'Authority',
      signedAt: '2026-01-02T00:00:00+00:00',
      claimGenerator: 'Painter 9',
      actions: [
        { action: 'c2pa.opened', software: 'Painter', when: null, digitalSourceType: null },
        { action: 'c2pa.edited', software: null, when, digitalSourceType: null },
      ],
      ingredients: [{ relation: 'parentOf', label: 'urn:uuid:1' }],
      identities: [],
      successes: ['timeStamp.validated'],
      failures: ['x.y'],
    },
  ]);
});

test('a version 1 manifest is read with generator and history in the old format', () => {
  const manifest = {
    label: 'urn:uuid:2',
    claim: { claim_generator: 'Painter/8 c2pa-rs/0.1' },
    assertions: {
      'c2pa.actions': {
        actions: [{ action: 'c2pa.created', softwareAgent: 'Painter 8', digitalSourceType: 'x' }],
      },
      'c2pa.ingredient': { relationship: 'componentOf', c2pa_manifest: { url } },
      'c2pa.ingredient__1': { relationship: 'friendOf', c2pa_manifest: { url } },
      'c2pa.ingredient__2': { relationship: 'parentOf' },
    },
  };

  expect(manifestsIn({ manifests: [manifest] })).toMatchObject([
    {
      isUpdate: false,
      signer: null,
      claimGenerator: 'Painter/8 c2pa-rs/0.1',
      actions: [{ action: 'c2pa.created', software: 'Painter 8', digitalSourceType: 'x' }],
      ingredients: [
        { relation: 'componentOf', label: 'urn:uuid:1' },
        { relation: 'parentOf', label: null },
      ],
    },
  ]);
});

test('at most a hundred manifests are read, and texts are made printable', () => {
  const signature = { certificateInfo: { subject: { CN: 'x'.repeat(999) } } };
  const manifest = { label: '\u{202e}a\nb', signature };

  const read = manifestsIn({ manifests: Array.from({ length: 1000 }, () => manifest) });

  expect(read).toHaveLength(100);
  expect(read[0]?.label).toBe('a b');
  expect(read[0]?.signer).toHaveLength(200);
});

describe('an identity assertion', () => {
  const at = 'self#jumbf=/c2pa/urn:c2pa:2/c2pa.assertions/cawg.identity';
  const status = (code: string) => ({ code, url: at });
  const certificateInfo = { subject: { CN: 'A. Berg' }, issuer: { O: 'Press Agency' } };
  const read = (signature: object, success: readonly string[], failure: readonly string[] = []) =>
    manifestsIn({
      manifests: [
        {
          label: 'urn:c2pa:2',
          assertions: { 'cawg.identity': { signature } },
          validationResults: { success: success.map(status), failure: failure.map(status) },
        },
      ],
    })[0]?.identities;

  test.each([
    ['cawg.x509.signature.validated', 'cawg.x509.credential.untrusted', 'signed'],
    ['cawg.x509.signature.validated', 'cawg.x509.signature.mismatch', 'broken'],
    ['cawg.identity.well-formed', 'cawg.identity.assertion.mismatch', 'broken'],
    ['assertion.hashedURI.match', 'cawg.ica.did_unavailable', 'not-verified'],
  ])('with %s and %s is %s', (success, failure, state) => {
    expect(read({ certificateInfo }, [success], [failure])).toEqual([
      { name: 'A. Berg', provider: 'Press Agency', state },
    ]);
  });

  test('with a trusted signer is trusted, and without any check is not verified', () => {
    const codes = ['cawg.x509.signature.validated', 'cawg.x509.credential.trusted'];

    expect(read({ certificateInfo }, codes)).toMatchObject([{ state: 'trusted' }]);
    expect(read({ certificateInfo }, [])).toMatchObject([{ state: 'not-verified' }]);
  });

  test('by a service names each account that it verified', () => {
    const verifiedIdentities = [
      { username: 'a.berg', provider: { name: 'Social' } },
      { name: 'A. Berg', provider: { id: 'https://id.example' } },
    ];
    const given = { issuer: 'did:web:a.example', verifiedIdentities };

    expect(read(given, ['cawg.ica.credential_valid'])).toEqual([
      { name: 'a.berg', provider: 'Social', state: 'signed' },
      { name: 'A. Berg', provider: 'did:web:a.example', state: 'signed' },
    ]);
  });
});

const folder = newFolder();

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
  const message = expect.not.stringContaining(folder);
  expect(() => readTrustList(fileOf(text))).toThrow(
    expect.objectContaining({ code: 'config_invalid', message }),
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
