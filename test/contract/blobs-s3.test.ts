import { createServer } from 'node:http';
import { createS3Store } from '../../src/blobs/s3.ts';
import { bucket, otherBucket, startDoor } from '../unit/blobs/door-server.ts';
import { s3ConfigFor } from '../unit/blobs/s3-config.ts';
import { describeBlobStore, type StoreUnderTest } from './blob-store.ts';

// The adapter against the embedded store's own door: two sides that were written apart, over a real socket.
async function overTheDoor(useSSL: boolean): Promise<StoreUnderTest> {
  const server = await (useSSL ? startDoor() : startDoor({}, createServer()));
  const storeOf = (name: string) => createS3Store(s3ConfigFor(server, name), { ca: server.ca });
  return {
    store: storeOf(bucket),
    stranger: storeOf(otherBucket),
    dispatcher: server.dispatcher,
    putHeaders: {},
    close: () => server.close(),
  };
}

describeBlobStore('the S3 store over HTTPS', () => overTheDoor(true), ['back\\slash']);
describeBlobStore('the S3 store over plain HTTP', () => overTheDoor(false), ['back\\slash']);
