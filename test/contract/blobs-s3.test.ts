import { createServer } from 'node:http';
import { describe } from 'vitest';
import { createS3Store } from '../../src/ports/storage/s3/s3.ts';
import { type S3Server, storesAt } from '../fixtures/s3-server.ts';
import { bucket, otherBucket, startS3Api } from '../unit/ports/storage/s3-api-server.ts';
import { s3ConfigFor } from '../unit/ports/storage/s3-config.ts';
import { describeBlobStore, type StoreUnderTest } from './blob-store.ts';

// The adapter against the embedded store's S3 API: two sides that were written apart, over a real socket.
async function overTheS3Api(useSSL: boolean): Promise<StoreUnderTest> {
  const server = await (useSSL ? startS3Api() : startS3Api({}, createServer()));
  const storeOf = (name: string) => createS3Store(s3ConfigFor(server, name), { ca: server.ca });
  return {
    store: storeOf(bucket),
    stranger: storeOf(otherBucket),
    dispatcher: server.dispatcher,
    putHeaders: {},
    close: () => server.close(),
  };
}

describeBlobStore('the S3 store over HTTPS', () => overTheS3Api(true), ['back\\slash']);
describeBlobStore('the S3 store over plain HTTP', () => overTheS3Api(false), ['back\\slash']);

/**
 * Any S3 server, two empty buckets of which are given to the suite:
 * `FORENSICS_TEST_S3_ENDPOINT` (`http://127.0.0.1:9000`), `_BUCKET`, `_OTHER_BUCKET`, `_ACCESS_KEY_ID`,
 * `_SECRET_ACCESS_KEY`, and `_REGION` (`us-east-1` when left out).
 */
const given = (name: string) => process.env[`FORENSICS_TEST_S3_${name}`] ?? '';

function givenServer(): S3Server {
  return {
    origin: given('ENDPOINT'),
    region: given('REGION') || 'us-east-1',
    accessKeyId: given('ACCESS_KEY_ID'),
    secretAccessKey: given('SECRET_ACCESS_KEY'),
    bucket: given('BUCKET'),
    otherBucket: given('OTHER_BUCKET'),
  };
}

describe.skipIf(given('ENDPOINT') === '')('a given S3 server', () => {
  describeBlobStore('the S3 store', async () => storesAt(givenServer()));
});
