/** Puts one object again and again, filled with one letter each time, until killed. Runs as its own process. */

import {
  bucketName,
  createBuckets,
  createEmbeddedStore,
  createObjectUrls,
} from '../../../../src/ports/storage/embedded/embedded.ts';

const store = createEmbeddedStore({
  buckets: createBuckets({ root: process.argv[2]! }),
  bucket: bucketName('0123456789abcdef01234567'),
  urls: createObjectUrls({ key: Buffer.alloc(32, 7) }),
  endpoint: () => new URL('https://store.example'),
});

for (let i = 0; ; i++) {
  process.stdout.write(`${i}\n`);
  await store.put('key', Buffer.alloc(3_000_000, 65 + (i % 26)));
}
