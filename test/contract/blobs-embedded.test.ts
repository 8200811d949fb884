import { bucket, otherBucket, startS3Api } from '../unit/ports/storage/s3-api-server.ts';
import { describeBlobStore } from './blob-store.ts';

describeBlobStore('the embedded store', async () => {
  const server = await startS3Api();
  return {
    store: server.storeOf(bucket),
    stranger: server.storeOf(otherBucket),
    dispatcher: server.dispatcher,
    putHeaders: {},
    close: () => server.close(),
  };
}, ['back\\slash']);
