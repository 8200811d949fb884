import type { ContainerClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { encodePath } from '../signature/canonical.ts';
import type { StorageUrls } from '../store.ts';
import { azureLibrary } from './library.ts';

export interface PresignBlob {
  readonly container: ContainerClient;
  readonly credential: StorageSharedKeyCredential;
  readonly key: string;
  /** 1..604800. */
  readonly expirySeconds: number;
  readonly now: Date;
}

/** Clocks differ: a URL is good a little before it was made. */
const startsEarlierMs = 5 * 60_000;

/** The three URLs of a blob, each with a signature (SAS) for this one blob and what its method needs. */
export function presignBlob(blob: PresignBlob): StorageUrls {
  const { container, credential, key, expirySeconds, now } = blob;
  const { BlobSASPermissions, generateBlobSASQueryParameters, SASProtocol } = azureLibrary();
  // Not the library's client of the blob: making one costs more than signing.
  const url = `${container.url}/${encodePath(key)}`;
  // Signatures have no fraction of a second, so neither has the expiry.
  const expiresOn = new Date((Math.floor(now.getTime() / 1000) + expirySeconds) * 1000);
  const urlFor = (permissions: string) => {
    const signature = generateBlobSASQueryParameters(
      {
        containerName: container.containerName,
        blobName: key,
        permissions: BlobSASPermissions.parse(permissions),
        startsOn: new Date(now.getTime() - startsEarlierMs),
        expiresOn,
        protocol: url.startsWith('https:') ? SASProtocol.Https : SASProtocol.HttpsAndHttp,
      },
      credential,
    );
    return `${url}?${signature.toString()}`;
  };
  return {
    type: 'azure',
    objectKey: key,
    // Create and write: a second upload replaces the first, as in every other store.
    putUrl: urlFor('cw'),
    getUrl: urlFor('r'),
    deleteUrl: urlFor('d'),
    expiresAt: expiresOn.toISOString(),
  };
}
