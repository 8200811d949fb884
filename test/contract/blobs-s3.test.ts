import { describe } from 'vitest';
import { type GivenS3, storesAt } from '../fixtures/given-s3.ts';
import { otherBucket, startS3Server } from '../fixtures/s3-server.ts';
import { describeBlobStore, type StoreUnderTest } from './blob-store.ts';

async function onS3Server(useSSL: boolean): Promise<StoreUnderTest> {
  const server = await startS3Server({ useSSL });
  return {
    store: server.storeIn(),
    stranger: server.storeIn(otherBucket),
    dispatcher: server.dispatcher,
    putHeaders: {},
    close: () => server.close(),
  };
}

describeBlobStore('the S3 store over HTTPS', () => onS3Server(true), ['back\\slash']);
describeBlobStore('the S3 store over plain HTTP', () => onS3Server(false), ['back\\slash']);

/**
 * Any S3 server, two empty buckets of which are given to the suite:
 * `FORENSICS_TEST_S3_ENDPOINT` (`http://127.0.0.1:9000`), `_BUCKET`, `_OTHER_BUCKET`, `_ACCESS_KEY_ID`,
 * `_SECRET_ACCESS_KEY`, and `_REGION` (`us-east-1` when left out).
 */
const given = (name: string) => process.env[`FORENSICS_TEST_S3_${name}`] ?? '';

function givenServer(): GivenS3 {
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
