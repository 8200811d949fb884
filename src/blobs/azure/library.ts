import { createRequire } from 'node:module';

type Library = typeof import('@azure/storage-blob');

let library: Library | undefined;

/** Loads the client library where it is first needed: it takes 0.2 s, and most installations have no Azure store. */
export function azureLibrary(): Library {
  // Kept, because asking the loader takes as long as signing a URL.
  library ??= load();
  return library;
}

function load(): Library {
  // Not import(): URLs are signed in one synchronous turn.
  return createRequire(import.meta.url)('@azure/storage-blob');
}
