/** Prints as JSON what a store does on a one-megabyte file system. Runs as its own process. */

import { readdirSync } from 'node:fs';
import {
  bucketName,
  createBuckets,
  createEmbeddedStore,
  createObjectUrls,
} from '../../../../src/ports/storage/embedded/embedded.ts';

const root = process.argv[2]!;
const store = createEmbeddedStore({
  buckets: createBuckets({ root }),
  bucket: bucketName('0123456789abcdef01234567'),
  urls: createObjectUrls({ key: Buffer.alloc(32, 7) }),
  endpoint: () => new URL('https://store.example'),
});
const textOf = async (key: string) => Buffer.from(await store.read(key, 100)).toString();

await store.put('key', Buffer.from('old'));
const failed: unknown = await store.put('key', Buffer.alloc(2_000_000)).catch((error) => error);
const code = failed instanceof Error && 'code' in failed ? failed.code : null;
const entries = readdirSync(root, { recursive: true, withFileTypes: true });
const files = entries.filter((entry) => entry.isFile()).length;
const old = await textOf('key');
await store.put('key', Buffer.from('small'));
process.stdout.write(JSON.stringify({ code, files, old, afterwards: await textOf('key') }));
