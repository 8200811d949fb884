/** Uploads one object in three parts, all of one letter, again and again, until it is killed. Run as a process of its own. */

import { createBuckets } from '../../../src/blobs/buckets.ts';
import { bucketNameFor } from '../../../src/blobs/credentials.ts';

const { uploads } = createBuckets({ root: process.argv[2]! }).of(
  bucketNameFor('0123456789abcdef01234567'),
);

async function* source(letter: number): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(500_000, letter);
}

for (let letter = 66; ; letter++) {
  const upload = await uploads.create('key', { contentType: 'text/plain', headers: {} });
  for (let number = 1; number <= 3; number++) {
    process.stdout.write(`part ${number}\n`);
    await uploads.putPart(upload, number, { source: source(letter) });
  }
  process.stdout.write('complete\n');
  await uploads.complete(upload, { choose: (parts) => parts });
}
