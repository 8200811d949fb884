import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  proveDefaultStorage,
  readDefaultStorage,
} from '../../../../src/service/tenants/merge-storage.ts';
import { type ErrorCode, ForensicsError } from '../../../../src/contract/errors.ts';
import { temporaryFolder } from '../../ports/db/temporary.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const s3 = {
  endpoint: 'Blobs.Example',
  bucketName: 'evidence',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const azure = {
  containerName: 'evidence',
  connectionString: `AccountName=acme;AccountKey=${Buffer.alloc(64, 7).toString('base64')}`,
};

function fileWith(text: string, mode = 0o600): string {
  const file = join(temporaryFolder(), 'store.json');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const read = (value: unknown) => readDefaultStorage(fileWith(JSON.stringify(value)));

test('members that are left out have the defaults of the contract', () => {
  expect(read({ s3 })).toEqual({
    type: 's3',
    s3: {
      ...s3,
      endpoint: 'blobs.example',
      port: 443,
      useSSL: true,
      region: 'us-east-1',
      presignedUrlExpirySeconds: 604_800,
      corsAllowedOrigins: null,
    },
    shared: { keyPrefix: '', internal: null },
  });
  expect(read({ s3: { ...s3, useSSL: false } })).toMatchObject({ s3: { port: 80 } });
  expect(read({ azure, s3: null })).toEqual({
    type: 'azure',
    azure,
    shared: { keyPrefix: '', internal: null },
  });
});

test.each<[object, object | null]>([
  [{ internalEndpoint: 'MinIO' }, { endpoint: 'minio', port: 443, useSSL: true }],
  [
    { internalEndpoint: 'minio', internalPort: 9000, internalUseSSL: false },
    { endpoint: 'minio', port: 9000, useSSL: false },
  ],
  [
    { port: 8080, useSSL: false, internalPort: 9000 },
    { endpoint: 'blobs.example', port: 9000, useSSL: false },
  ],
  [{ internalEndpoint: 'blobs.example', internalPort: 443 }, null],
])('with %j the service itself uses %j', (more, internal) => {
  expect(read({ s3: { ...s3, ...more } }).shared.internal).toEqual(internal);
});

test.each<[unknown, RegExp]>([
  [[], /: storageConfig must be an object/],
  [{ s3, azure }, /either s3 or azure/],
  [{ s3, s4: 1 }, /storageConfig\.s4 is not known; the known members are s3, azure/],
  [{ s3: 'here' }, /storageConfig\.s3 must be an object/],
  [{ s3: { ...s3, usessl: true } }, /s3\.usessl is not known/],
  [{ s3: { ...s3, port: '9000' } }, /s3\.port must be an integer/],
  [{ s3: { ...s3, useSSL: 'no' } }, /s3\.useSSL must be true or false/],
  [{ s3: { ...s3, endpoint: 7 } }, /s3\.endpoint must be a host name/],
  [{ s3: { ...s3, corsAllowedOrigins: [7] } }, /s3\.corsAllowedOrigins/],
  [{ s3: { ...s3, secretAccessKey: undefined } }, /s3\.secretAccessKey is missing/],
  [{ s3: { ...s3, secretAccessKey: '***' } }, /s3\.secretAccessKey must be the secret itself/],
  [{ s3: { ...s3, internalEndpoint: 'http://minio' } }, /s3\.internalEndpoint must be a host/],
  [{ s3: { ...s3, internalPort: 0 } }, /s3\.internalPort/],
  [{ s3: { ...s3, internalUseSSL: 'no' } }, /s3\.internalUseSSL/],
  [{ azure: { ...azure, internalEndpoint: 'a' } }, /azure\.internalEndpoint is not known/],
  [{ azure: { ...azure, connectionString: 'AccountName=acme' } }, /no valid AccountKey/],
])('an invalid store is refused, and the wrong member is named: %j', (value, message) => {
  expect(() => read(value)).toThrow(refusal('config_invalid', message));
});

test.each([
  [`{ "s3": { "secretAccessKey": "${s3.secretAccessKey}"`, /is not valid JSON/],
  [`{"s3":{"secretAccessKey":${s3.secretAccessKey}}}`, /is not valid JSON/],
  [`["${s3.secretAccessKey}"]`, /must be an object/],
])('an unusable file is reported without its content: %j', async (text, message) => {
  const file = fileWith(text);
  const error: unknown = await (async () => readDefaultStorage(file))().catch((thrown) => thrown);

  expect(error).toEqual(refusal('config_invalid', message));
  const { cause } = error instanceof Error ? error : {};
  expect(`${String(error)} ${String(cause)}`).not.toContain(s3.secretAccessKey.slice(0, 6));
});

test('a missing file is reported', () => {
  expect(() => readDefaultStorage('/no/such/file')).toThrow(/cannot be read. Check its path/);
});

const failingStore = (code: ErrorCode) => ({
  async prove() {
    throw new ForensicsError(code, 'What the store said.');
  },
});
const workingStore = { prove: async () => undefined };

async function prove(shared: { prove(): Promise<void> }, mode?: number): Promise<unknown[]> {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  await proveDefaultStorage(fileWith('{}', mode), { shared, onError });
  return errors;
}

describe('at the start', () => {
  test('a working store is not reported', async () => {
    expect(await prove(workingStore)).toEqual([]);
  });

  test('a store that refuses us ends it, with the store’s message', async () => {
    await expect(prove(failingStore('store_refused'))).rejects.toEqual(
      refusal('config_invalid', 'What the store said.'),
    );
  });

  test.each(['store_unavailable', 'no_space_left'] as const)(
    'a store that may recover is reported (%s)',
    async (code) => {
      expect(await prove(failingStore(code))).toMatchObject([{ code }]);
    },
  );

  test.each([0o640, 0o604])('a file that others can read is reported (%o)', async (mode) => {
    expect(await prove(workingStore, mode)).toMatchObject([
      { message: expect.stringContaining('chmod 600') },
    ]);
  });
});
