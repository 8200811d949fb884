/** Objects in a bucket of any S3 server, through the client library with retries; client URLs are signed locally. */

import { createHash, createHmac, createSecretKey, hash } from 'node:crypto';
import { type ClientRequest, IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Readable } from 'node:stream';
import type { Client, ClientOptions } from 'minio';
import { escapeMarkup } from '../../../contract/common.ts';
import type { S3StorageConfig } from '../../../contract/tenant.ts';
import { causeCode, ForensicsError, hasCode } from '../../../contract/errors.ts';
import * as remote from '../remote/http.ts';
import { readStart } from '../../files/files.ts';
import { type S3Address, s3Host, s3Origin } from '../configs.ts';
import {
  type BlobInfo,
  type BlobStore,
  checkKey,
  type CorsOutcome,
  defaultContentType,
  encodePath,
  type RemoteStore,
  storageUrls,
} from '../store.ts';

interface S3StoreSettings extends remote.RemoteSettings {
  /** Where this process reaches the server, if elsewhere than clients do. URLs are always signed for clients. */
  readonly internal?: S3Address | null;
}

/**
 * @param config - `endpoint` without scheme and port; `region` as configured on the server, because every signature
 *   contains it.
 * @throws {ForensicsError} `invalid_request` for an endpoint that is not a host name or address.
 */
export function createS3Store(
  config: S3StorageConfig,
  settings: S3StoreSettings = {},
): RemoteStore {
  const { bucketName: bucket } = config;
  const presign = createPresigner(config);
  const reached = { ...config, ...settings.internal };
  // Checks the address first, because the message of the client library is less precise.
  s3Origin(reached);
  const act = createAct(createS3Client(reached, settings), settings);

  async function stat(key: string): Promise<BlobInfo> {
    const { size, etag, metaData } = await act((client) => client.statObject(bucket, key));
    const contentType = String(metaData['content-type'] ?? defaultContentType);
    return { sizeBytes: size, etag, contentType };
  }

  const acts = {
    type: 's3',
    checkKey,
    async upload(key: string, bytes: Buffer, contentType: string) {
      const headers = { 'content-type': contentType };
      await act((client) => client.putObject(bucket, key, bytes, bytes.length, headers));
      return stat(key).catch((error: unknown) => {
        if (!hasCode(error, 'blob_not_found')) throw error;
        throw new ForensicsError(
          'store_unavailable',
          'The store accepted the object but does not have it. Try again later.',
        );
      });
    },
    read: (key: string, maxBytes: number) =>
      act(async (client) => {
        const answer = await client.getObject(bucket, key);
        return remote.gatherAnswer(answer, declaredLength(answer), maxBytes);
      }),
    stat,
    remove: (key: string) => act((client) => client.removeObject(bucket, key)),
    presign,
    allow: (origins: readonly string[]) => applyCorsRules(act, bucket, origins),
  } as const;
  return remote.createRemoteStore(acts, settings);
}

/** Sends a request with retries, because all requests can safely be repeated; throws only `ForensicsError`. */
type Act = <T>(ask: (client: Client) => Promise<T>) => Promise<T>;

function createAct(open: () => Promise<Client>, { timeouts }: S3StoreSettings): Act {
  const { retryDelayMs } = { ...remote.defaultTimeouts, ...timeouts };
  return (ask) =>
    remote.withStoreRetry(retryDelayMs, async () => {
      const client = await open();
      try {
        return await ask(client);
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'InvalidBucketNameError')
          throw remote.connectionFailure(error);
        // The library is stricter than some servers, and rejects names that look like an IP address.
        throw new ForensicsError(
          'store_refused',
          'The bucket name cannot be used. It needs 3 to 63 lower-case letters, digits, dots and hyphens, and must not look like an IP address.',
        );
      }
    });
}

/** Null if the store did not declare it. */
function declaredLength(answer: Readable): number | null {
  const length = answer instanceof IncomingMessage ? answer.headers['content-length'] : undefined;
  return length === undefined ? null : Number(length);
}

const ruleId = 'forensics';
const maxRulesBytes = 65_536;
const [ruleStart, ruleEnd] = ['<CORSRule>', '</CORSRule>'];

/** Replaces our rule, found by its id; others belong to the tenant. @see Amazon S3 API Reference, "PutBucketCors". */
async function applyCorsRules(
  act: Act,
  bucket: string,
  origins: readonly string[],
): Promise<CorsOutcome> {
  const present = await act((client) => readRules(client, bucket));
  const others = present.filter((rule) => !rule.includes(`<ID>${ruleId}</ID>`));
  const rules = origins.length === 0 ? others : [...others, ruleFor(origins)];
  // S3 rejects an empty list.
  const method = rules.length === 0 ? 'DELETE' : 'PUT';
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  const list = `<CORSConfiguration xmlns="${namespace}">${rules.join('')}</CORSConfiguration>`;
  const body = Buffer.from(rules.length === 0 ? '' : list);
  const digest = createHash('md5').update(body).digest('base64');
  const headers = { 'content-type': 'application/xml', 'content-md5': digest };
  const options = { method, bucketName: bucket, query: 'cors', headers };
  await act((client) => client.makeRequestAsyncOmit(options, body, [200, 204]));
  return { applied: true };
}

async function readRules(client: Client, bucketName: string): Promise<readonly string[]> {
  try {
    const answer = await client.makeRequestAsync({ method: 'GET', bucketName, query: 'cors' });
    return rulesIn((await remote.gather(answer, maxRulesBytes)).toString());
  } catch (error) {
    if (causeCode(error, 'NoSuchCORSConfiguration') !== '') return [];
    throw error;
  }
}

/** Takes linear time, which matters because the text is untrusted. */
function rulesIn(text: string): readonly string[] {
  return text
    .split(ruleEnd)
    .slice(0, -1)
    .map((part) => ({ part, at: part.indexOf(ruleStart) }))
    .filter(({ at }) => at !== -1)
    .map(({ part, at }) => part.slice(at) + ruleEnd);
}

function ruleFor(origins: readonly string[]): string {
  const methods = ['GET', 'HEAD', 'PUT', 'DELETE'];
  return [
    `<CORSRule><ID>${ruleId}</ID>`,
    ...origins.map((origin) => `<AllowedOrigin>${escapeMarkup(origin)}</AllowedOrigin>`),
    ...methods.map((method) => `<AllowedMethod>${method}</AllowedMethod>`),
    '<AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader>',
    '<MaxAgeSeconds>3600</MaxAgeSeconds></CORSRule>',
  ].join('');
}

// Presigned URLs of objects in an S3 bucket. The client library can also sign them, but takes 25 times as long, and a
// list of analyses has 2,100. What all URLs of the same second have in common is therefore computed once.
// @see Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)".

/** @returns a function that throws {ForensicsError} `invalid_request` for a key that is too long or not Unicode. */
function createPresigner(config: S3StorageConfig): BlobStore['presign'] {
  const { bucketName, presignedUrlExpirySeconds: expirySeconds } = config;
  const origin = s3Origin(config);
  let last: { readonly second: number; readonly sign: Sign } | null = null;
  return (key, now) => {
    checkKey(key);
    // Times in a signature are whole seconds, so the expiry must be one too.
    const second = Math.floor(now.getTime() / 1000);
    if (last?.second !== second) last = { second, sign: createSigner(config, origin, second) };
    const { sign } = last;
    const path = `/${bucketName}/${encodePath(key)}`;
    const named = { type: 's3', objectKey: key } as const;
    const expiresAt = new Date((second + expirySeconds) * 1000);
    return storageUrls(named, expiresAt, (method) => origin + sign(method, path));
  };
}

/** @returns path and query of a URL. */
type Sign = (method: string, path: string) => string;

function createSigner(config: S3StorageConfig, origin: string, second: number): Sign {
  const { accessKeyId, secretAccessKey, region, presignedUrlExpirySeconds } = config;
  // 20130524T000000Z
  const time = `${new Date(second * 1000).toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`;
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const query = [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=${encodePath(`${accessKeyId}/${scope}`).replaceAll('/', '%2F')}`,
    `X-Amz-Date=${time}`,
    `X-Amz-Expires=${presignedUrlExpirySeconds}`,
    'X-Amz-SignedHeaders=host',
  ].join('&');
  const rest = `${query}\nhost:${new URL(origin).host}\n\nhost\nUNSIGNED-PAYLOAD`;
  const dayKey = hmac(`AWS4${secretAccessKey}`, day);
  // A key object instead of bytes, because Node.js then signs five times as fast.
  const key = createSecretKey(hmac(hmac(hmac(dayKey, region), 's3'), 'aws4_request'));
  return (method, path) => {
    const canonical = hash('sha256', `${method}\n${path}\n${rest}`, 'hex');
    const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${canonical}`;
    const signature = createHmac('sha256', key).update(text).digest('hex');
    return `${path}?${query}&X-Amz-Signature=${signature}`;
  };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

// The client library, with time limits and our own error messages: left to itself, it waits forever, parses any
// response as XML, and discards the status.
// @see Amazon S3 API Reference, "List of error codes"; the storage-full codes are those of MinIO.

const successes = [200, 204];
/** Longer than any error response in XML. */
const maxRefusalLength = 65_536;
/** The library's maximum, so that an object is sent in a single request and becomes visible atomically. */
const partSize = 5 * 1024 ** 3;

/**
 * Opens the client when it is first used: loading the library takes 0.15 s, and most installations have no S3 store.
 *
 * @param config - with an endpoint that `s3Origin` has checked.
 * @returns a function that opens a client, which throws a `ForensicsError` when the server refuses.
 */
function createS3Client(
  config: S3StorageConfig,
  settings: remote.RemoteSettings,
): () => Promise<Client> {
  const { region, useSSL } = config;
  const { totalMs } = { ...remote.defaultTimeouts, ...settings.timeouts };
  const options: ClientOptions = {
    endPoint: s3Host(config),
    port: config.port,
    useSSL,
    // Without a region, the library would ask the server before each request.
    region,
    accessKey: config.accessKeyId,
    secretKey: config.secretAccessKey,
    partSize,
    transportAgent: remote.createAgent(useSSL, settings),
    transport: createTransport(useSSL, totalMs),
    // The library's own retries write to the console.
    retryOptions: { disableRetry: true },
  };
  let opening: Promise<Client> | undefined;
  return () => (opening ??= import('minio').then(({ Client: Opened }) => new Opened(options)));
}

/** Uses the transport of Node.js, and passes only successful responses to the library. */
function createTransport(useSSL: boolean, totalMs: number): Required<ClientOptions>['transport'] {
  const start = useSSL ? secureRequest : request;
  return {
    request(options: unknown, onAnswer: unknown): ClientRequest {
      if (typeof options !== 'object' || options === null || typeof onAnswer !== 'function') {
        throw new TypeError('Expected options and a callback.');
      }
      let incoming: IncomingMessage | undefined;
      const outgoing = start(options, (answer) => {
        incoming = answer;
        if (successes.includes(answer.statusCode ?? 0)) onAnswer(answer);
        else void readRefusal(answer).then((failure) => outgoing.emit('error', failure));
      });
      const timer = setTimeout(() => {
        const late = new remote.StoreTimeout('No complete response within the time allowed.');
        (incoming ?? outgoing).destroy(late);
      }, totalMs);
      timer.unref();
      return outgoing.once('close', () => clearTimeout(timer));
    },
  };
}

async function readRefusal(answer: IncomingMessage): Promise<ForensicsError> {
  try {
    const body = String(await readStart(answer, maxRefusalLength));
    // The code in the XML is more precise than the status, but responses to HEAD have no body.
    const code = /<Code>(\w{1,64})<\/Code>/.exec(body)?.[1] ?? '';
    return remote.toStoreError({ status: answer.statusCode ?? 0, code }, meanings);
  } catch (error) {
    return remote.connectionFailure(error);
  }
}

const meanings = remote.meaningTable([
  ['NoSuchKey', 'blob_not_found', 'The store has no object with this key.'],
  ['NoSuchBucket', 'store_refused', 'The bucket does not exist. Check its name or create it.'],
  ['InvalidBucketName', 'store_refused', 'The store does not accept this bucket name.'],
  ['InvalidAccessKeyId', 'store_refused', 'The store does not recognise the access key. Check it.'],
  [
    'SignatureDoesNotMatch',
    'store_refused',
    'The store rejected the signature. Check the secret access key and the endpoint.',
  ],
  [
    'RequestTimeTooSkewed',
    'store_refused',
    "This server's clock and the store's differ by more than 15 minutes. Synchronise them.",
  ],
  ['NotImplemented', 'store_refused', 'The store does not support this.'],
  [
    'AllAccessDisabled 401 403',
    'store_refused',
    'The store denied access. Check the access key, and that it may put, get and delete objects and list the bucket.',
  ],
  [
    'AuthorizationHeaderMalformed AuthorizationQueryParametersError IllegalLocationConstraintException 301 302 307 308',
    'store_refused',
    'The bucket is in another region or at another endpoint. Check endpoint and region.',
  ],
  ['EntityTooLarge', 'blob_too_large', 'The object is larger than the store accepts.'],
  [
    'InsufficientStorage QuotaExceeded XMinioStorageFull',
    'no_space_left',
    'The store is full. Free some space or raise its quota.',
  ],
  // All but the first: the body was altered in transit.
  [
    'RequestTimeout BadDigest IncompleteBody XAmzContentSHA256Mismatch',
    'store_unavailable',
    'The store is busy. Try again later.',
  ],
]);
