import { bucket, otherBucket, startEmbeddedServer } from '../fixtures/embedded-server.ts';
import { describeBlobStore } from './blob-store.ts';

describeBlobStore('the embedded store', async () => {
  const server = await startEmbeddedServer();
  return {
    store: server.storeOf(bucket),
    stranger: server.storeOf(otherBucket),
    dispatcher: server.dispatcher,
    putHeaders: {},
    close: () => server.close(),
  };
}, ['back\\slash']);
