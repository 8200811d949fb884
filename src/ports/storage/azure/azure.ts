/**
 * Stores objects as block blobs in a container of an Azure storage account. A missing container is created. URLs for
 * clients are signed locally with the account key. Azure requires uploads to send a header as well: `x-ms-blob-type:
 * BlockBlob`.
 */

import { createHash, createHmac, createSecretKey } from 'node:crypto';
import type * as azure from '@azure/storage-blob';
import type { AzureStorageConfig } from '../../../contract/tenant.ts';
import * as remote from '../remote/http.ts';
import {
  type BlobInfo,
  type BlobStore,
  checkPath,
  type CorsOutcome,
  defaultContentType,
  encodePath,
  type RemoteStore,
  storageUrls,
} from '../store.ts';
import type { Agent, IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { ForensicsError, invalidRequest } from '../../../contract/errors.ts';
import { readStart } from '../../files/files.ts';

interface AzureStoreSettings extends remote.RemoteSettings {
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
  const act = createAct({ ...remote.defaultTimeouts, ...settings.timeouts });

  const acts = {
    type: 'azure',
    checkKey: checkPath,
    upload: (key: string, bytes: Buffer, contentType: string) =>
      act(async (limit) => {
        const digest = createHash('md5').update(bytes).digest();
        const upload = () =>
          container.getBlockBlobClient(key).upload(bytes, bytes.length, {
            ...limit,
            blobHTTPHeaders: { blobContentType: contentType, blobContentMD5: digest },
            transactionalContentMD5: digest,
          });
        const answer = await upload().catch(async (error: unknown) => {
          if (readRefusal(error)?.code !== 'ContainerNotFound') throw error;
          await container.createIfNotExists(limit);
          return upload();
        });
        return blobInfo({ ...answer, contentType, contentLength: bytes.length });
      }),
    read: (key: string, maxBytes: number) =>
      act(async (limit) => {
        const blob = container.getBlobClient(key);
        const answer = await blob.download(0, undefined, { ...limit, maxRetryRequests: 0 });
        const { readableStreamBody: stream, contentLength } = answer;
        if (stream === undefined) throw new TypeError('The response has no body.');
        return remote.gatherAnswer(stream, contentLength ?? null, maxBytes);
      }),
    stat: (key: string) =>
      act(async (limit) => blobInfo(await container.getBlobClient(key).getProperties(limit))),
    remove: (key: string) => act((limit) => container.getBlobClient(key).delete(limit)),
    presign,
    allow: (origins: readonly string[]) =>
      act((limit) => addCorsRule(account.service, origins, limit)),
  } as const;
  return remote.createRemoteStore(acts, settings);
}

type Act = <T>(ask: (limit: Limit) => Promise<T>) => Promise<T>;

/** Retrying is possible because every operation of this store can safely be repeated. */
function createAct({ retryDelayMs, totalMs }: typeof remote.defaultTimeouts): Act {
  return (ask) =>
    remote.withStoreRetry(retryDelayMs, async () => {
      const abortSignal = AbortSignal.timeout(totalMs);
      try {
        return await ask({ abortSignal });
      } catch (error) {
        // The library reports an abort even if it was the connection that broke.
        const late = new remote.StoreTimeout('Not done within the time allowed.');
        if (abortSignal.aborted) throw remote.connectionFailure(late);
        const refusal = readRefusal(error);
        throw refusal === null
          ? remote.connectionFailure(error)
          : remote.toStoreError(refusal, meanings);
      }
    });
}

function blobInfo(facts: azure.BlobGetPropertiesResponse): BlobInfo {
  return {
    sizeBytes: facts.contentLength ?? 0,
    etag: (facts.etag ?? '').replaceAll('"', ''),
    contentType: facts.contentType ?? defaultContentType,
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

/** Rules belong to the account, and containers of other tenants may depend on them: nothing is ever removed. */
async function addCorsRule(
  service: azure.BlobServiceClient,
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

function isOurs({ allowedOrigins: _origins, ...rule }: azure.CorsRule): boolean {
  return isDeepStrictEqual(rule, ours);
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
    const named = { type: 'azure', objectKey: key } as const;
    const expiresAt = new Date((second + expirySeconds) * 1000);
    const signed = (permissions: string) => `${blob}?${sign(key, permissions, second)}`;
    return storageUrls(named, expiresAt, (method) => signed(permissionsFor[method]));
  };
}

// To put an object: create and write, so that a second upload replaces the first, as in every other store.
const permissionsFor = { PUT: 'cw', GET: 'r', DELETE: 'd' } as const;
const nothing = Array.from({ length: 7 }, () => '');

/** A time such as `2026-01-02T03:04:05Z`. */
function isoSecond(second: number): string {
  return `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
}

// The account: its connection string, and the client library with our own transport and error messages.
export function openContainer(config: AzureStorageConfig, settings: remote.RemoteSettings) {
  const { connectionString, containerName } = config;
  const { accountName, accountKey, blobEndpoint } = parseConnectionString(connectionString);
  if (!/^(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*$/.test(containerName)) {
    throw invalidRequest(
      'The name of an Azure container must be 3 to 63 lower-case letters, digits and single hyphens.',
    );
  }
  const { BlobServiceClient, newPipeline, StorageSharedKeyCredential } = azureLibrary();
  const credential = new StorageSharedKeyCredential(accountName, accountKey);
  const pipeline = newPipeline(credential, {
    httpClient: createTransport(remote.createAgent(blobEndpoint.startsWith('https:'), settings)),
    // Disabled, because we retry by the same rules for every store.
    retryOptions: { maxTries: 1 },
  });
  const service = new BlobServiceClient(blobEndpoint, pipeline);
  const container = service.getContainerClient(containerName);
  return { service, container, containerName, accountName, accountKey, url: container.url };
}

/**
 * Parses the connection string that the Azure portal shows under "Access keys".
 *
 * @returns the account with its key in Base64, and the URL of its blob service without a trailing slash.
 * @throws {ForensicsError} `invalid_request`, which says what is missing without quoting the text.
 */
export function parseConnectionString(text: string) {
  const fields = new Map(text.split(';').map(splitField));
  const accountName = fields.get('accountname') ?? '';
  const accountKey = fields.get('accountkey') ?? '';
  if (accountKey === '' && fields.has('sharedaccesssignature')) {
    throw invalid('has a SharedAccessSignature; only an AccountKey can sign URLs');
  }
  if (!/^[a-z0-9]{3,24}$/.test(accountName)) throw invalid('has no valid AccountName');
  const isBase64 = Buffer.from(accountKey, 'base64').toString('base64') === accountKey;
  if (accountKey === '' || !isBase64) throw invalid('has no valid AccountKey');
  return { accountName, accountKey, blobEndpoint: readEndpoint(accountName, fields) };
}

function splitField(field: string): readonly [name: string, value: string] {
  // Keys end in `=`, so only the first `=` separates name and value.
  const at = field.indexOf('=');
  return [field.slice(0, Math.max(at, 0)).trim().toLowerCase(), field.slice(at + 1).trim()];
}

function readEndpoint(accountName: string, fields: ReadonlyMap<string, string>): string {
  const given = fields.get('blobendpoint');
  const scheme = fields.get('defaultendpointsprotocol') ?? 'https';
  const suffix = fields.get('endpointsuffix') ?? 'core.windows.net';
  const endpoint = given ?? `${scheme}://${accountName}.blob.${suffix}`;
  const url = URL.parse(endpoint);
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === '';
  if (isWeb && url.search === '' && url.hash === '') {
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  }
  throw invalid('has no valid BlobEndpoint, DefaultEndpointsProtocol or EndpointSuffix');
}

function invalid(what: string): ForensicsError {
  return invalidRequest(`The Azure connection string ${what}.`);
}

/** Longest response that is parsed: the properties of an account, which include at most 2 KiB of CORS rules. */
const maxTextBytes = 16_384;

/** The library's own transport parses responses of any size: ten megabytes of XML would block us for seconds. */
function createTransport(agent: Agent): azure.IHttpClient {
  return {
    async sendRequest(asked): Promise<azure.HttpOperationResponse> {
      const answer = await send(asked, agent);
      const { statusCode: status = 0 } = answer;
      const facts = { request: asked, status, headers: toHeaders(answer, asked) };
      if (asked.streamResponseStatusCodes?.has(status) === true) {
        return { ...facts, readableStreamBody: answer };
      }
      if (status >= 200 && status < 300) {
        return { ...facts, bodyAsText: (await remote.gather(answer, maxTextBytes)).toString() };
      }
      // The headers give the reason for a refusal. The body is read so that the connection can be reused.
      await readStart(answer, maxTextBytes);
      return facts;
    },
  };
}

function send(asked: azure.WebResource, agent: Agent): Promise<IncomingMessage> {
  const { url, method, abortSignal } = asked;
  const headers = asked.headers.toJson({ preserveCase: true });
  const signal = abortSignal instanceof AbortSignal ? { signal: abortSignal } : {};
  return remote.sendRequest(url, { method, headers, agent, ...signal }, requestBody(asked));
}

function requestBody({ body }: azure.WebResource): Uint8Array | string | undefined {
  const value: unknown = typeof body === 'function' ? body() : body;
  if (value === undefined || typeof value === 'string' || value instanceof Uint8Array) return value;
  throw new TypeError('Only text and bytes are sent to Azure.');
}

function toHeaders(answer: IncomingMessage, asked: azure.WebResource): azure.HttpHeaders {
  // The constructor is not exported by the library.
  const headers = asked.headers.clone();
  for (const name of headers.headerNames()) headers.remove(name);
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  return headers;
}

const loadModule = createRequire(import.meta.url);
let library: typeof azure | undefined;

/** Loads the client library when it is first used: this takes 0.2 s, and most installations have no Azure store. */
function azureLibrary(): typeof azure {
  // Not with import(), because stores are opened synchronously. Kept, because asking the loader each time is slow.
  const loaded: typeof azure = library ?? loadModule('@azure/storage-blob');
  library = loaded;
  return loaded;
}

/** @see Azure REST reference, "Blob service error codes" and "Common REST API error codes". */
const meanings = remote.meaningTable([
  ['404', 'blob_not_found', 'The store has no object with this key.'],
  ['ContainerNotFound', 'blob_not_found', 'The container does not exist.'],
  [
    'AuthenticationFailed',
    'store_refused',
    "The store rejected the signature. Check the AccountKey and this server's clock.",
  ],
  ['AccountIsDisabled', 'store_refused', 'The storage account is disabled.'],
  ['InvalidResourceName', 'store_refused', 'The store does not accept this container name.'],
  ['RequestBodyTooLarge', 'blob_too_large', 'The object is larger than the store accepts.'],
  [
    '401 403',
    'store_refused',
    'The store denied access. Check the firewall of the storage account and the permissions of its key.',
  ],
  // The body was altered in transit.
  ['Md5Mismatch', 'store_unavailable', 'The object was damaged in transit. Try again.'],
  [
    'ContainerBeingDeleted',
    'store_unavailable',
    'The container is being deleted. Try again later.',
  ],
  ['ServerBusy', 'store_unavailable', 'The store is busy. Try again later.'],
]);

/** Null if the error is not a response from the store. */
function readRefusal(error: unknown): remote.Refusal | null {
  if (!azureLibrary().isRestError(error) || error.statusCode === undefined) return null;
  const code = error.response?.headers.get('x-ms-error-code') ?? '';
  return { status: error.statusCode, code: /^\w{1,64}$/.test(code) ? code : '' };
}
