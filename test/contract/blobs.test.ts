import { startAzurite } from '../unit/ports/storage/azurite.ts';
import { describeBlobStore } from './blob-store.ts';
import { bucket, otherBucket, startEmbeddedServer } from '../fixtures/embedded-server.ts';
import { withPrefix } from '../../src/ports/storage/store.ts';
import { startS3Server } from '../fixtures/s3-server.ts';

describeBlobStore('the Azure store', async () => {
  const azurite = await startAzurite();
  return {
    store: azurite.storeOf('pictures'),
    stranger: azurite.storeOf('other-pictures'),
    dispatcher: azurite.dispatcher,
    putHeaders: { 'x-ms-blob-type': 'BlockBlob' },
    close: () => azurite.close(),
  };
});

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

// Two tenants in one bucket, with the same credentials.
describeBlobStore('a part of a shared store', async () => {
  const server = await startS3Server();
  const keyPrefix = '0123456789abcdef01234567/';
  return {
    store: withPrefix(server.storeIn(), keyPrefix),
    stranger: withPrefix(server.storeIn(), 'fedcba9876543210fedcba98/'),
    dispatcher: server.dispatcher,
    putHeaders: {},
    keyPrefix,
    close: () => server.close(),
  };
});
