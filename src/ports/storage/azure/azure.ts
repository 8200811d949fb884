/**
 * Stores objects as block blobs in a container of an Azure storage account. A missing container is created. URLs for
 * clients are signed locally with the account key. Azure requires uploads to send a header as well: `x-ms-blob-type:
 * BlockBlob`.
 */

import { createHash, createHmac, createSecretKey } from 'node:crypto';
import type { BlobGetPropertiesResponse, BlobServiceClient, CorsRule } from '@azure/storage-blob';
import type { AzureStorageConfig } from '../../../contract/tenant.ts';
import {
  createRemoteStore,
  defaultTimeouts,
  type RemoteSettings,
  StoreTimeout,
  withStoreRetry,
  gatherAnswer,
} from '../remote/http.ts';
import {
  type BlobInfo,
  type BlobStore,
  checkPath,
  type CorsOutcome,
  defaultContentType,
  encodePath,
  type RemoteStore,
} from '../store.ts';
import { azureFailure, isMissingContainer, openContainer } from './client.ts';

interface AzureStoreSettings extends RemoteSettings {
  /** Lifetime of a presigned URL, 1..604800 seconds. */
  readonly expirySeconds: number;
}

interface Limit {
  readonly abortSignal: AbortSignal;
}

/** @throws {ForensicsError} `invalid_request` for a connection string without account key, or an invalid container name. */
export function createAzureStore(
  config: AzureStorageConfig,
  settings: AzureStoreSettings,
): RemoteStore {
  const account = openContainer(config, settings);
  const { container } = account;
  const presign = createPresigner(account, settings.expirySeconds);
  const act = createAct({ ...defaultTimeouts, ...settings.timeouts });

  const acts = {
    type: 'azure',
    checkKey: checkPath,
    upload: (key: string, bytes: Buffer, contentType: string) =>
      act(async (limit) => {
        const digest = createHash('md5').update(bytes).digest();
        const send = () =>
          container.getBlockBlobClient(key).upload(bytes, bytes.length, {
            ...limit,
            blobHTTPHeaders: { blobContentType: contentType, blobContentMD5: digest },
            transactionalContentMD5: digest,
          });
        const answer = await send().catch(async (error: unknown) => {
          if (!isMissingContainer(error)) throw error;
          await container.createIfNotExists(limit);
          return send();
        });
        return blobInfo(key, { ...answer, contentType, contentLength: bytes.length });
      }),
    read: (key: string, maxBytes: number) =>
      act(async (limit) => {
        const blob = container.getBlobClient(key);
        const answer = await blob.download(0, undefined, { ...limit, maxRetryRequests: 0 });
        const { readableStreamBody: stream, contentLength } = answer;
        if (stream === undefined) throw new TypeError('The response has no body.');
        return gatherAnswer(stream, contentLength ?? null, maxBytes);
      }),
    stat: (key: string) =>
      act(async (limit) => blobInfo(key, await container.getBlobClient(key).getProperties(limit))),
    remove: (key: string) => act((limit) => container.getBlobClient(key).delete(limit)),
    presign,
    allow: (origins: readonly string[]) =>
      act((limit) => addCorsRule(account.service, origins, limit)),
  } as const;
  return createRemoteStore(acts, settings);
}

type Act = <T>(request: (limit: Limit) => Promise<T>) => Promise<T>;

/** Retrying is possible because every operation of this store can safely be repeated. */
function createAct({ retryDelayMs, totalMs }: typeof defaultTimeouts): Act {
  return (request) =>
    withStoreRetry(retryDelayMs, async () => {
      const abortSignal = AbortSignal.timeout(totalMs);
      try {
        return await request({ abortSignal });
      } catch (error) {
        // The library reports an abort even if it was the connection that broke.
        const isLate = abortSignal.aborted;
        throw azureFailure(isLate ? new StoreTimeout('Not done within the time allowed.') : error);
      }
    });
}

function blobInfo(key: string, facts: BlobGetPropertiesResponse): BlobInfo {
  return {
    key,
    sizeBytes: facts.contentLength ?? 0,
    etag: (facts.etag ?? '').replaceAll('"', ''),
    contentType: facts.contentType ?? defaultContentType,
    modifiedAt: facts.lastModified ?? new Date(0),
  };
}

/** Our rule without its origins; identifies the rule among others. */
const ours = {
  allowedMethods: 'DELETE,GET,HEAD,OPTIONS,PUT',
  allowedHeaders: '*',
  exposedHeaders: 'ETag,x-ms-request-id',
  maxAgeInSeconds: 3600,
};
/** Azure's limit per service. */
const maxRules = 5;

/**
 * Adds origins to our rule. Rules belong to the account, not to the container, so containers of other tenants may
 * depend on them: nothing is ever removed.
 */
async function addCorsRule(
  service: BlobServiceClient,
  origins: readonly string[],
  limit: Limit,
): Promise<CorsOutcome> {
  const { cors: present = [] } = await service.getProperties(limit);
  const known = present.filter(isOurs).flatMap(({ allowedOrigins }) => allowedOrigins.split(','));
  if (origins.every((origin) => known.includes(origin))) return { applied: true };
  const allowedOrigins = [...new Set([...known, ...origins])].join(',');
  const cors = [...present.filter((rule) => !isOurs(rule)), { ...ours, allowedOrigins }];
  if (cors.length > maxRules) {
    const reason = `The storage account already has ${maxRules} CORS rules. Remove one.`;
    return { applied: false, reason };
  }
  // Properties that are not mentioned keep their values.
  await service.setProperties({ cors }, limit);
  return { applied: true };
}

function isOurs(rule: CorsRule): boolean {
  const members = new Map<string, unknown>(Object.entries(rule));
  return Object.entries(ours).every(([name, value]) => members.get(name) === value);
}

// Presigned URLs of blobs in an Azure container: a service SAS for one blob, with the permissions that one method
// needs. The client library can also sign them, but takes ten times as long, and a list of analyses has 2,100.
// @see Azure Storage REST API, "Create a service SAS", version 2020-12-06 and later.

const version = '2021-12-02';
/** Because clocks differ, a URL is valid from shortly before it was signed. */
const startsEarlierSeconds = 5 * 60;

function createPresigner(
  container: ReturnType<typeof openContainer>,
  expirySeconds: number,
): BlobStore['presign'] {
  const { accountName, containerName, url } = container;
  // A key object instead of bytes, because Node.js then signs several times as fast.
  const accountKey = createSecretKey(container.accountKey, 'base64');
  const protocol = url.startsWith('https:') ? 'https' : 'https,http';

  function sign(key: string, permissions: string, second: number): string {
    const start = isoSecond(second - startsEarlierSeconds);
    const end = isoSecond(second + expirySeconds);
    const resource = `/blob/${accountName}/${containerName}/${key}`;
    // No policy or addresses before the protocol; no snapshot, scope or response headers after the resource type `b`.
    const text = [permissions, start, end, resource, '', '', protocol, version, 'b', ...nothing];
    const signature = createHmac('sha256', accountKey).update(text.join('\n')).digest('base64');
    const query = `sv=${version}&spr=${encodeURIComponent(protocol)}&st=${start}&se=${end}&sr=b&sp=${permissions}`;
    return `${query.replaceAll(':', '%3A')}&sig=${encodeURIComponent(signature)}`;
  }

  return (key, now) => {
    checkPath(key);
    // Times in a signature are whole seconds, so the expiry must be one too.
    const second = Math.floor(now.getTime() / 1000);
    const blob = `${url}/${encodePath(key)}`;
    return {
      type: 'azure',
      objectKey: key,
      // Create and write, so that a second upload replaces the first, as in every other store.
      putUrl: `${blob}?${sign(key, 'cw', second)}`,
      getUrl: `${blob}?${sign(key, 'r', second)}`,
      deleteUrl: `${blob}?${sign(key, 'd', second)}`,
      expiresAt: new Date((second + expirySeconds) * 1000).toISOString(),
    };
  };
}

const nothing = Array.from({ length: 7 }, () => '');

/** A time such as `2026-01-02T03:04:05Z`. */
function isoSecond(second: number): string {
  return `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
}
