import { type Agent, type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { createRequire } from 'node:module';
import type {
  HttpHeaders,
  HttpOperationResponse,
  IHttpClient,
  WebResource,
} from '@azure/storage-blob';
import type { AzureStorageConfig } from '../../../contract/tenant.ts';
import { ForensicsError } from '../../../errors.ts';
import {
  connectionFailure,
  createAgent,
  meaningTable,
  type Refusal,
  type RemoteSettings,
  toStoreError,
  gather,
} from '../remote/http.ts';
import { readStart } from '../../files/streams.ts';

/**
 * Opens the container without making a request.
 *
 * @throws {ForensicsError} `invalid_request` for an invalid connection string or container name.
 */
export function openContainer(config: AzureStorageConfig, settings: RemoteSettings) {
  const { connectionString, containerName } = config;
  const { accountName, accountKey, blobEndpoint } = parseConnectionString(connectionString);
  if (!/^(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*$/.test(containerName)) {
    throw new ForensicsError(
      'invalid_request',
      'The name of an Azure container must be 3 to 63 lower-case letters, digits and single hyphens.',
    );
  }
  const { BlobServiceClient, newPipeline, StorageSharedKeyCredential } = azureLibrary();
  const credential = new StorageSharedKeyCredential(accountName, accountKey);
  const pipeline = newPipeline(credential, {
    httpClient: createTransport(createAgent(blobEndpoint.startsWith('https:'), settings)),
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
  return new ForensicsError('invalid_request', `The Azure connection string ${what}.`);
}

/** Longest response that is parsed: the properties of an account, which include at most 2 KiB of CORS rules. */
const maxTextBytes = 16_384;

/**
 * Transport for the client library. The library's own transport reads and parses responses of any size, so that ten
 * megabytes of XML would block the process for seconds.
 */
function createTransport(agent: Agent): IHttpClient {
  return {
    async sendRequest(asked): Promise<HttpOperationResponse> {
      const answer = await send(asked, agent);
      const { statusCode: status = 0 } = answer;
      const facts = { request: asked, status, headers: toHeaders(answer, asked) };
      if (asked.streamResponseStatusCodes?.has(status) === true) {
        return { ...facts, readableStreamBody: answer };
      }
      if (status >= 200 && status < 300) {
        return { ...facts, bodyAsText: (await gather(answer, maxTextBytes)).toString() };
      }
      // The headers give the reason for a refusal. The body is read so that the connection can be reused.
      await readStart(answer, maxTextBytes);
      return facts;
    },
  };
}

function send(asked: WebResource, agent: Agent): Promise<IncomingMessage> {
  const { url, method, abortSignal } = asked;
  const start = url.startsWith('https:') ? secureRequest : request;
  const headers = asked.headers.toJson({ preserveCase: true });
  const signal = abortSignal instanceof AbortSignal ? { signal: abortSignal } : {};
  return new Promise((resolve, reject) => {
    start(url, { method, headers, agent, ...signal }, resolve)
      .once('error', reject)
      .end(requestBody(asked));
  });
}

function requestBody({ body }: WebResource): Uint8Array | string | undefined {
  const value: unknown = typeof body === 'function' ? body() : body;
  if (value === undefined || typeof value === 'string' || value instanceof Uint8Array) return value;
  throw new TypeError('Only text and bytes are sent to Azure.');
}

function toHeaders(answer: IncomingMessage, asked: WebResource): HttpHeaders {
  // The constructor is not exported by the library.
  const headers = asked.headers.clone();
  for (const name of headers.headerNames()) headers.remove(name);
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  return headers;
}

type Library = typeof import('@azure/storage-blob');

const loadModule = createRequire(import.meta.url);
let library: Library | undefined;

/** Loads the client library when it is first used: this takes 0.2 s, and most installations have no Azure store. */
function azureLibrary(): Library {
  // Not with import(), because stores are opened synchronously. Kept, because asking the loader each time is slow.
  const loaded: Library = library ?? loadModule('@azure/storage-blob');
  library = loaded;
  return loaded;
}

/**
 * What the error codes of Azure's blob service mean.
 *
 * @see Azure REST reference, "Blob service error codes" and "Common REST API error codes".
 */
const meanings = meaningTable([
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

export function azureFailure(error: unknown): ForensicsError {
  const refusal = readRefusal(error);
  return refusal === null ? connectionFailure(error) : toStoreError(refusal, meanings);
}

export function isMissingContainer(error: unknown): boolean {
  return readRefusal(error)?.code === 'ContainerNotFound';
}

/** Null if the error is not a response from the store. */
function readRefusal(error: unknown): Refusal | null {
  if (!azureLibrary().isRestError(error) || error.statusCode === undefined) return null;
  const code = error.response?.headers.get('x-ms-error-code') ?? '';
  return { status: error.statusCode, code: /^\w{1,64}$/.test(code) ? code : '' };
}
