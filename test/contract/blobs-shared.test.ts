import { withPrefix } from '../../src/ports/storage/store.ts';
import { startS3Server } from '../fixtures/s3-server.ts';
import { describeBlobStore } from './blob-store.ts';

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
