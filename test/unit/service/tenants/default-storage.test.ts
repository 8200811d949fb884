import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDefaultStorage } from '../../../../src/service/tenants/merge-storage.ts';
import { temporaryFolder } from '../../ports/db/temporary.ts';

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

function read(value: unknown) {
  const file = join(temporaryFolder(), 'store.json');
  writeFileSync(file, JSON.stringify(value));
  return readDefaultStorage(file);
}

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

describe('an invalid store is refused, and the wrong member is named', () => {
  test.each<[unknown, RegExp]>([
    [[], /: storageConfig must be an object/],
    ['s3', /: storageConfig must be an object/],
    [{}, /either s3 or azure/],
    [{ s3, azure }, /either s3 or azure/],
    [{ s3, s4: 1 }, /storageConfig\.s4 is unknown; the known members are s3, azure/],
    [{ s3: 'here' }, /storageConfig\.s3 must be an object/],
    [{ s3: { ...s3, usessl: true } }, /s3\.usessl is unknown/],
    [{ s3: { ...s3, port: '9000' } }, /s3\.port must be an integer/],
    [{ s3: { ...s3, port: null } }, /s3\.port must be an integer/],
    [{ s3: { ...s3, useSSL: 'no' } }, /s3\.useSSL must be true or false/],
    [{ s3: { ...s3, endpoint: 7 } }, /s3\.endpoint must be a host name/],
    [{ s3: { ...s3, bucketName: ['a'] } }, /s3\.bucketName/],
    [{ s3: { ...s3, corsAllowedOrigins: 'https://a.example' } }, /s3\.corsAllowedOrigins/],
    [{ s3: { ...s3, corsAllowedOrigins: [7] } }, /s3\.corsAllowedOrigins/],
    [{ s3: { ...s3, secretAccessKey: undefined } }, /s3\.secretAccessKey is missing/],
    [{ s3: { ...s3, secretAccessKey: '***' } }, /s3\.secretAccessKey must be the secret itself/],
    [{ s3: { ...s3, internalEndpoint: 'http://minio' } }, /s3\.internalEndpoint must be a host/],
    [{ s3: { ...s3, internalPort: 0 } }, /s3\.internalPort/],
    [{ s3: { ...s3, internalUseSSL: 'no' } }, /s3\.internalUseSSL/],
    [{ azure: { ...azure, internalEndpoint: 'a' } }, /azure\.internalEndpoint is unknown/],
    [{ azure: { ...azure, connectionString: 'AccountName=acme' } }, /no valid AccountKey/],
  ])('%j', (value, message) => {
    expect(() => read(value)).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: expect.stringMatching(message),
      }),
    );
  });
});
