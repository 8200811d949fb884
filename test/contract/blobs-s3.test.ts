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
 * Any S3 server with two empty buckets for the suite, named by `FORENSICS_TEST_S3_ENDPOINT` (`http://127.0.0.1:9000`),
 * `_BUCKET`, `_OTHER_BUCKET`, `_ACCESS_KEY_ID`, `_SECRET_ACCESS_KEY` and `_REGION` (default `us-east-1`).
 */
const variable = (name: string) => process.env[`FORENSICS_TEST_S3_${name}`] ?? '';

function externalServer(): GivenS3 {
  return {
    origin: variable('ENDPOINT'),
    region: variable('REGION') || 'us-east-1',
    accessKeyId: variable('ACCESS_KEY_ID'),
    secretAccessKey: variable('SECRET_ACCESS_KEY'),
    bucket: variable('BUCKET'),
    otherBucket: variable('OTHER_BUCKET'),
  };
}

describe.skipIf(variable('ENDPOINT') === '')('an external S3 server', () => {
  describeBlobStore('the S3 store', async () => storesAt(externalServer()));
});
