import { describe, expect, test } from 'vitest';
import { createS3Store } from '../../../../src/ports/storage/s3/s3.ts';
import { storagePlace } from '../../../../src/ports/storage/configs.ts';
import { s3ConfigAt } from './s3-config.ts';

const s3 = {
  ...s3ConfigAt('https://objects.example'),
  region: 'eu-central-1',
  presignedUrlExpirySeconds: 60,
};
const connectionString = 'AccountName=tester;AccountKey=c2VjcmV0;EndpointSuffix=core.example';

describe('the place of objects', () => {
  test.each([
    [{}, 's3 https://objects.example/pictures'],
    [{ port: 9000 }, 's3 https://objects.example:9000/pictures'],
    [{ port: 80, useSSL: false }, 's3 http://objects.example/pictures'],
    [{ endpoint: '::1', port: 9000 }, 's3 https://[::1]:9000/pictures'],
    [{ endpoint: 's3.amazonaws.com' }, 's3 https://s3.eu-central-1.amazonaws.com/pictures'],
  ])('of an S3 configuration with %j is %s', (changes, place) => {
    expect(storagePlace({ type: 's3', s3: { ...s3, ...changes } })).toBe(place);
  });

  test('stays the same when credentials change', () => {
    const changed = { ...s3, accessKeyId: 'another', secretAccessKey: 'other' };
    const azure = { containerName: 'pictures', connectionString };
    const rotated = {
      ...azure,
      connectionString: connectionString.replace('c2VjcmV0', 'b3RoZXI='),
    };

    expect(storagePlace({ type: 's3', s3: changed })).toBe(storagePlace({ type: 's3', s3 }));
    expect(storagePlace({ type: 'azure', azure: rotated })).toBe(
      storagePlace({ type: 'azure', azure }),
    );
    expect(storagePlace({ type: 'azure', azure })).toBe(
      'azure https://tester.blob.core.example/pictures',
    );
  });

  test.each([
    '',
    'https://objects.example',
    'objects.example:9000',
    'a b',
    'host/path',
    'u@host',
    '-x',
  ])('cannot have the S3 endpoint %j', (endpoint) => {
    const config = { ...s3, endpoint };

    expect(() => storagePlace({ type: 's3', s3: config })).toThrow(/host name or an address/);
    expect(() => createS3Store(config)).toThrow(/host name or an address/);
  });
});

describe('presigned URLs of an S3 configuration', () => {
  test.each([
    [{}, 'https://objects.example/pictures/a%20b'],
    [{ endpoint: '10.0.0.7', port: 9000 }, 'https://10.0.0.7:9000/pictures/a%20b'],
    [{ endpoint: 's3.amazonaws.com' }, 'https://s3.eu-central-1.amazonaws.com/pictures/a%20b'],
  ])('with %j point to %s', (changes, address) => {
    const urls = createS3Store({ ...s3, ...changes }).presign('a b', new Date(0));

    expect(urls.getUrl.split('?')[0]).toBe(address);
    expect(urls.expiresAt).toBe('1970-01-01T00:01:00.000Z');
  });
});
