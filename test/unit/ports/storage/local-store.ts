/** An embedded store in a folder of its own, for tests that look at the folder. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BucketsSettings,
  createBuckets,
} from '../../../../src/ports/storage/embedded/buckets.ts';
import {
  createEmbeddedStore,
  type EmbeddedStoreSettings,
} from '../../../../src/ports/storage/embedded/embedded.ts';
import type { BlobStore } from '../../../../src/ports/storage/store.ts';
import { filesUnder } from './files-under.ts';
import { bucket, keys, region } from './s3-api-server.ts';

export interface LocalStore {
  readonly root: string;
  /** Opens the store anew, as a restart would. */
  open(settings?: Partial<BucketsSettings & EmbeddedStoreSettings>): BlobStore;
  /** Paths of all files, of finished and of unfinished objects. */
  files(): string[];
  textOf(key: string): Promise<string>;
  remove(): void;
}

export function createLocalStore(): LocalStore {
  const root = mkdtempSync(join(tmpdir(), 'forensics-blobs-'));
  const open = (settings: Partial<BucketsSettings & EmbeddedStoreSettings> = {}) =>
    createEmbeddedStore({
      buckets: createBuckets({ root, ...settings }),
      bucket,
      credentials: keys.credentialsFor(bucket),
      endpoint: () => new URL('https://store.example:8443'),
      region,
      ...settings,
    });

  return {
    root,
    open,
    files: () => filesUnder(root),
    textOf: async (key) => Buffer.from(await open().read(key, 1_000_000)).toString(),
    remove: () => rmSync(root, { recursive: true }),
  };
}
