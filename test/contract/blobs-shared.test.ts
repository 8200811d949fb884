import { createS3Store } from '../../src/ports/storage/s3/s3.ts';
import { withPrefix } from '../../src/ports/storage/shared-store.ts';
import { startS3Api } from '../unit/ports/storage/s3-api-server.ts';
import { s3ConfigFor } from '../unit/ports/storage/s3-config.ts';
import { describeBlobStore, type StoreUnderTest } from './blob-store.ts';

// Two tenants in one bucket, with the same credentials.
async function inOneBucket(): Promise<StoreUnderTest> {
  const server = await startS3Api();
  const whole = createS3Store(s3ConfigFor(server), { ca: server.ca });
  const keyPrefix = '0123456789abcdef01234567/';
  return {
    store: withPrefix(whole, keyPrefix),
    stranger: withPrefix(whole, 'fedcba9876543210fedcba98/'),
    dispatcher: server.dispatcher,
    putHeaders: {},
    keyPrefix,
    close: () => server.close(),
  };
}

describeBlobStore('a part of a shared store', inOneBucket);
