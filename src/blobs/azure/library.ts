import { createRequire } from 'node:module';

type Library = typeof import('@azure/storage-blob');

const require = createRequire(import.meta.url);

/** Loads the client library where it is first needed: it takes 0.2 s, and most installations have no Azure store. */
export function azureLibrary(): Library {
  // Not import(): URLs are signed in one synchronous turn.
  return require('@azure/storage-blob');
}
