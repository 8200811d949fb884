import { startAzurite } from '../unit/ports/storage/azurite.ts';
import { describeBlobStore } from './blob-store.ts';

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
