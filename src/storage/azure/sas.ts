import type {
  BlobServiceClient,
  ContainerClient,
  CorsRule,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { StorageUrls } from '../../contract/analysis.ts';
import { encodePath } from '../sigv4/canonical.ts';
import type { CorsOutcome } from '../store.ts';
import { azureLibrary } from './client.ts';

interface PresignBlob {
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

/** Everything of our rule but its origins; also how it is known again. */
const ours = {
  allowedMethods: 'DELETE,GET,HEAD,OPTIONS,PUT',
  allowedHeaders: '*',
  exposedHeaders: 'ETag,x-ms-request-id',
  maxAgeInSeconds: 3600,
};
/** Azure's limit for one service. */
const maxRules = 5;

/**
 * Adds origins to our rule. The rules are the account's, not the container's: other containers, of other tenants perhaps,
 * rely on what is there, so nothing is ever taken away.
 */
export async function addCorsRule(
  service: BlobServiceClient,
  origins: readonly string[],
  limit: { readonly abortSignal: AbortSignal },
): Promise<CorsOutcome> {
  const { cors: present = [] } = await service.getProperties(limit);
  const known = present.filter(isOurs).flatMap(({ allowedOrigins }) => allowedOrigins.split(','));
  if (origins.every((origin) => known.includes(origin))) return { applied: true };
  const allowedOrigins = [...new Set([...known, ...origins])].join(',');
  const cors = [...present.filter((rule) => !isOurs(rule)), { ...ours, allowedOrigins }];
  if (cors.length > maxRules) {
    const reason = `The storage account has ${maxRules} CORS rules already; remove one.`;
    return { applied: false, reason };
  }
  // What is left out of the properties stays as it is.
  await service.setProperties({ cors }, limit);
  return { applied: true };
}

function isOurs(rule: CorsRule): boolean {
  const { allowedMethods, allowedHeaders, exposedHeaders, maxAgeInSeconds } = rule;
  return (
    allowedMethods === ours.allowedMethods &&
    allowedHeaders === ours.allowedHeaders &&
    exposedHeaders === ours.exposedHeaders &&
    maxAgeInSeconds === ours.maxAgeInSeconds
  );
}
