import { createHmac, type KeyObject } from 'node:crypto';
import type {
  BlobServiceClient,
  ContainerClient,
  CorsRule,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { StorageUrls } from '../../../contract/analysis.ts';
import { encodePath } from '../sigv4/canonical.ts';
import type { CorsOutcome } from '../store.ts';
import { azureLibrary } from './client.ts';

interface Account {
  readonly container: ContainerClient;
  readonly credential: StorageSharedKeyCredential;
  readonly accountKey: KeyObject;
  /** 1..604800. */
  readonly expirySeconds: number;
}

/** Clocks differ: a URL is good a little before it was made. */
const startsEarlierMs = 5 * 60_000;

/**
 * Makes the three URLs of a blob, each with a signature (SAS) for this one blob and what its method needs. A list has many
 * blobs in one second: what their URLs share comes from the library once, and is kept for the next blob.
 */
export function createBlobSigner(account: Account): (key: string, now: Date) => StorageUrls {
  const { container, expirySeconds } = account;
  let last: { readonly second: number; readonly sign: ReturnType<typeof openSecond> } | null = null;
  return (key, now) => {
    const second = Math.floor(now.getTime() / 1000);
    if (last?.second !== second) last = { second, sign: openSecond(account, second) };
    const { sign } = last;
    // Not the library's client of the blob: making one costs more than signing.
    const url = `${container.url}/${encodePath(key)}`;
    return {
      type: 'azure',
      objectKey: key,
      // Create and write: a second upload replaces the first, as in every other store.
      putUrl: `${url}?${sign.put(key)}`,
      getUrl: `${url}?${sign.get(key)}`,
      deleteUrl: `${url}?${sign.delete(key)}`,
      // Signatures have no fraction of a second, so neither has the expiry.
      expiresAt: new Date((second + expirySeconds) * 1000).toISOString(),
    };
  };
}

/** @returns for each method what signs a key: the query of its URL. */
function openSecond({ container, credential, accountKey, expirySeconds }: Account, second: number) {
  const { BlobSASPermissions, generateBlobSASQueryParameters, SASProtocol } = azureLibrary();
  const { containerName, url } = container;
  const signerFor = (permissions: string): ((key: string) => string) => {
    const shared = generateBlobSASQueryParameters(
      {
        containerName,
        blobName: 'any',
        permissions: BlobSASPermissions.parse(permissions),
        startsOn: new Date(second * 1000 - startsEarlierMs),
        expiresOn: new Date((second + expirySeconds) * 1000),
        protocol: url.startsWith('https:') ? SASProtocol.Https : SASProtocol.HttpsAndHttp,
      },
      credential,
    );
    const parts = new URLSearchParams(shared.toString());
    const part = (name: string) => parts.get(name) ?? '';
    const head = [part('sp'), part('st'), part('se')].join('\n');
    // No policy and no address before the protocol; no snapshot, scope and headers of the answer after the kind of resource.
    const tail = ['', '', part('spr'), part('sv'), part('sr'), ...emptyFields].join('\n');
    const query = shared.toString().replace(/&sig=.*$/, '');
    const place = `/blob/${credential.accountName}/${containerName}/`;
    return (key) => {
      const text = `${head}\n${place}${key}\n${tail}`;
      const signature = createHmac('sha256', accountKey).update(text).digest('base64');
      return `${query}&sig=${encodeURIComponent(signature)}`;
    };
  };
  return { put: signerFor('cw'), get: signerFor('r'), delete: signerFor('d') };
}

/** @see Azure Storage REST API, "Create a service SAS", version 2020-12-06 and later. */
const emptyFields = Array.from({ length: 7 }, () => '');

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
