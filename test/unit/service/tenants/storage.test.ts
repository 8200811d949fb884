import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AzureStorageConfig, S3StorageConfig } from '../../../../src/contract/tenant.ts';
import type { StorageConfig } from '../../../../src/ports/storage/configs.ts';
import { maskStorage, mergeStorage } from '../../../../src/service/tenants/merge-storage.ts';

const s3: S3StorageConfig = {
  endpoint: 'minio.example',
  port: 9000,
  useSSL: true,
  bucketName: 'evidence',
  region: 'eu-central-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  presignedUrlExpirySeconds: 3600,
  corsAllowedOrigins: null,
};
const stored: StorageConfig = { type: 's3', s3 };
const accountKey = Buffer.alloc(64, 7).toString('base64');
const azure: AzureStorageConfig = {
  containerName: 'evidence',
  connectionString: `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${accountKey};EndpointSuffix=core.windows.net`,
};

const text = (alphabet: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength, maxLength });
const low = 'abcdefghijklmnopqrstuvwxyz0123456789';
const visible = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join('');

const anyS3: fc.Arbitrary<StorageConfig> = fc
  .record({
    endpoint: fc.oneof(
      fc.domain().map((name) => name.toLowerCase()),
      fc.ipV4(),
    ),
    port: fc.integer({ min: 1, max: 65_535 }),
    useSSL: fc.boolean(),
    bucketName: text(low, 3, 63),
    region: text(`${low}-`, 1, 20),
    accessKeyId: text(visible.replace('/', '').replace('*', ''), 1, 128),
    secretAccessKey: text(visible.replace('*', ''), 20, 128),
    presignedUrlExpirySeconds: fc.integer({ min: 1, max: 604_800 }),
    corsAllowedOrigins: fc.option(fc.constantFrom([], ['*'], ['https://a.example'])),
  })
  .map((config) => ({ type: 's3', s3: config }));

const anyAzure: fc.Arbitrary<StorageConfig> = fc
  .record({
    account: text(low, 3, 24),
    key: fc.uint8Array({ minLength: 32, maxLength: 64 }),
    containerName: text(low, 3, 63),
  })
  .map(({ account, key, containerName }) => ({
    type: 'azure',
    azure: {
      containerName,
      connectionString: `AccountName=${account};AccountKey=${Buffer.from(key).toString('base64')}`,
    },
  }));

describe('a masked configuration', () => {
  test('can be sent back and changes nothing, whatever is stored', () => {
    fc.assert(
      fc.property(fc.oneof(anyS3, anyAzure), (config) => {
        expect(mergeStorage(config, maskStorage(config))).toEqual(config);
      }),
    );
  });

  test('contains no secret', () => {
    fc.assert(
      fc.property(fc.oneof(anyS3, anyAzure), (config) => {
        const answer = JSON.stringify(maskStorage(config));
        const secret =
          config.type === 's3'
            ? config.s3.secretAccessKey
            : config.azure.connectionString.split('AccountKey=')[1]!;
        expect(answer).not.toContain(secret);
      }),
    );
  });

  test('shows the end of the access key and the name of the account', () => {
    expect(maskStorage(stored)).toMatchObject({
      s3: { accessKeyId: '***MPLE', secretAccessKey: '***' },
    });
    expect(maskStorage({ type: 'azure', azure })).toEqual({
      azure: {
        containerName: 'evidence',
        connectionString:
          'AccountName=acme;AccountKey=***;BlobEndpoint=https://acme.blob.core.windows.net',
      },
    });
  });
});

test.each([{ corsAllowedOrigins: ['https://app.example'] }, { secretAccessKey: 'new' }])(
  'members that are left out stay unchanged beside %j',
  (change) => {
    expect(mergeStorage(stored, { s3: change })).toEqual({ type: 's3', s3: { ...s3, ...change } });
  },
);

describe('members that are left out do not carry over to another place', () => {
  const odd: S3StorageConfig = {
    ...s3,
    port: 18_801,
    useSSL: false,
    presignedUrlExpirySeconds: 120,
    corsAllowedOrigins: ['https://app.example'],
  };
  const { accessKeyId, secretAccessKey } = s3;
  const keys = { accessKeyId, secretAccessKey };
  const merge = (given: Partial<S3StorageConfig>) =>
    mergeStorage({ type: 's3', s3: odd }, { s3: { ...given, ...keys } });
  const defaultRules = { presignedUrlExpirySeconds: 604_800, corsAllowedOrigins: null };

  test('another server gets the same defaults as a first one', () => {
    const other = { endpoint: 'other.example', bucketName: 'evidence5' };

    expect(merge(other)).toEqual(mergeStorage(null, { s3: { ...other, ...keys } }));
    expect(merge({ endpoint: 'other.example' })).toMatchObject({
      s3: { bucketName: 'evidence', port: 443, useSSL: true, region: 'us-east-1', ...defaultRules },
    });
  });

  test('another bucket gets default rules and keeps the connection to its server', () => {
    const expected = { ...odd, bucketName: 'evidence5', ...defaultRules };

    for (const endpoint of [{}, { endpoint: odd.endpoint.toUpperCase() }]) {
      expect(merge({ ...endpoint, bucketName: 'evidence5' })).toEqual({ type: 's3', s3: expected });
    }
  });

  test('members that are given always count', () => {
    const given = { endpoint: 'other.example', port: 9000, corsAllowedOrigins: ['*'] };

    expect(merge(given)).toMatchObject({ s3: { ...given, useSSL: true } });
  });
});

describe('a stored secret is never used elsewhere', () => {
  const masked = Object.values(maskStorage({ type: 's3', s3 }))[0];

  test.each([
    ['another server', { endpoint: 'evil.example' }],
    ['another port', { port: 9001 }],
    ['a connection without TLS', { useSSL: false }],
    ['another bucket', { bucketName: 'other' }],
  ])('at %s, masked or left out', (_name, change) => {
    for (const s3Request of [change, { ...masked, ...change }]) {
      expect(() => mergeStorage(stored, { s3: s3Request })).toThrow(/must be sent again/);
    }
    expect(() =>
      mergeStorage(stored, { s3: { ...change, secretAccessKey: s3.secretAccessKey } }),
    ).toThrow(/accessKeyId must be sent again/);
    const { accessKeyId, secretAccessKey } = s3;
    expect(mergeStorage(stored, { s3: { ...change, accessKeyId, secretAccessKey } })).toMatchObject(
      { s3: change },
    );
  });

  test('for another access key', () => {
    expect(() => mergeStorage(stored, { s3: { accessKeyId: 'AKIAOTHER' } })).toThrow(
      /secretAccessKey must be sent again/,
    );
  });

  test('for another container', () => {
    expect(() =>
      mergeStorage({ type: 'azure', azure }, { azure: { containerName: 'other' } }),
    ).toThrow(/connectionString must be sent again/);
  });

  test('through a mask that was never returned', () => {
    expect(() => mergeStorage(stored, { s3: { accessKeyId: '***OTHR' } })).toThrow(/masked/);
    expect(() => mergeStorage(null, { s3: { ...s3, secretAccessKey: '***' } })).toThrow(/masked/);
    expect(() =>
      mergeStorage(null, { azure: { ...azure, connectionString: 'AccountName=a;AccountKey=***' } }),
    ).toThrow(/masked/);
  });

  test('of a configuration of the other type', () => {
    expect(() => mergeStorage(stored, { azure: { containerName: 'evidence' } })).toThrow(
      /connectionString is missing/,
    );
  });
});

describe('an invalid configuration is refused, and the wrong member is named', () => {
  test.each<[Partial<S3StorageConfig>, RegExp]>([
    [{ endpoint: 'https://minio.example' }, /s3\.endpoint must be a host name/],
    [{ endpoint: 'minio.example:9000' }, /s3\.endpoint/],
    [{ endpoint: 'minio.example/path' }, /s3\.endpoint/],
    [{ endpoint: 'user@minio.example' }, /s3\.endpoint/],
    [{ endpoint: '2130706433' }, /s3\.endpoint/],
    [{ endpoint: '0x7f.1' }, /s3\.endpoint/],
    [{ endpoint: '' }, /s3\.endpoint/],
    [{ port: 0 }, /s3\.port/],
    [{ bucketName: 'No' }, /s3\.bucketName/],
    [{ bucketName: '../other' }, /s3\.bucketName/],
    [{ region: 'eu/central' }, /s3\.region/],
    [{ accessKeyId: 'with/slash' }, /s3\.accessKeyId/],
    [{ presignedUrlExpirySeconds: 604_801 }, /s3\.presignedUrlExpirySeconds/],
    [{ corsAllowedOrigins: ['https://app.example/path'] }, /s3\.corsAllowedOrigins/],
    [{ corsAllowedOrigins: ['app.example'] }, /s3\.corsAllowedOrigins/],
  ])('%j', (change, message) => {
    expect(() => mergeStorage(null, { s3: { ...s3, ...change } })).toThrow(message);
  });

  test.each<[Partial<AzureStorageConfig>, RegExp]>([
    [{ containerName: 'No' }, /azure\.containerName/],
    [{ containerName: 'two--hyphens' }, /azure\.containerName/],
    [{ connectionString: '' }, /azure\.connectionString/],
  ])('%j', (change, message) => {
    expect(() => mergeStorage(null, { azure: { ...azure, ...change } })).toThrow(message);
  });

  test.each([{}, { s3, azure }, { s3: null }])('neither or both types: %j', (request) => {
    expect(() => mergeStorage(null, request)).toThrow(/either s3 or azure/);
  });
});

test.each(['minio', 'minio_server', 'S3.eu-central-1.amazonaws.com', '10.0.0.7', 'fd00::7'])(
  'the endpoint %s is valid',
  (endpoint) => {
    expect(mergeStorage(null, { s3: { ...s3, endpoint } })).toMatchObject({
      s3: { endpoint: endpoint.toLowerCase() },
    });
  },
);
