import { describe } from 'vitest';
import { Agent } from 'undici';
import { createS3Store } from '../../src/ports/storage/s3/s3.ts';
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

async function onExternalServer(): Promise<StoreUnderTest> {
  const { hostname, port, protocol } = new URL(variable('ENDPOINT'));
  const useSSL = protocol === 'https:';
  const dispatcher = new Agent({ allowH2: false });
  const storeIn = (bucketName: string) =>
    createS3Store({
      endpoint: hostname,
      port: port === '' ? (useSSL ? 443 : 80) : Number(port),
      useSSL,
      bucketName,
      region: variable('REGION') || 'us-east-1',
      accessKeyId: variable('ACCESS_KEY_ID'),
      secretAccessKey: variable('SECRET_ACCESS_KEY'),
      presignedUrlExpirySeconds: 604_800,
      corsAllowedOrigins: null,
    });
  return {
    store: storeIn(variable('BUCKET')),
    stranger: storeIn(variable('OTHER_BUCKET')),
    dispatcher,
    putHeaders: {},
    close: () => dispatcher.destroy(),
  };
}

describe.skipIf(variable('ENDPOINT') === '')('an external S3 server', () => {
  describeBlobStore('the S3 store', onExternalServer);
});
