/** Puts one object again and again, all of one letter each time, until it is killed. Run as a process of its own. */

import { createBuckets } from '../../../../src/ports/storage/embedded/buckets.ts';
import {
  bucketNameFor,
  createBucketCredentials,
} from '../../../../src/ports/storage/embedded/credentials.ts';
import { createEmbeddedStore } from '../../../../src/ports/storage/embedded/embedded.ts';

const bucket = bucketNameFor('0123456789abcdef01234567');
const store = createEmbeddedStore({
  buckets: createBuckets({ root: process.argv[2]! }),
  bucket,
  credentials: createBucketCredentials(Buffer.alloc(32, 7)).credentialsFor(bucket),
  endpoint: () => new URL('https://store.example'),
  region: 'us-east-1',
});

for (let i = 0; ; i++) {
  process.stdout.write(`${i}\n`);
  await store.put('key', Buffer.alloc(3_000_000, 65 + (i % 26)));
}
