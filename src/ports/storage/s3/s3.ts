/**
 * Stores objects in a bucket of any S3 server, through the client library and with retries. URLs for clients are signed
 * locally.
 */

import { createHash, createHmac, createSecretKey, hash } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Client } from 'minio';
import type { S3StorageConfig } from '../../../contract/tenant.ts';
import { hasCode, causeCode, ForensicsError } from '../../../errors.ts';
import {
  createRemoteStore,
  connectionFailure,
  defaultTimeouts,
  type RemoteSettings,
  withStoreRetry,
  gather,
  gatherAnswer,
} from '../remote/http.ts';
import { type S3Address, s3Origin } from '../configs.ts';
import {
  type BlobInfo,
  type BlobStore,
  checkKey,
  type CorsOutcome,
  defaultContentType,
  encodePath,
  type RemoteStore,
} from '../store.ts';
import { createS3Client } from './client.ts';

interface S3StoreSettings extends RemoteSettings {
  /**
   * Where this process reaches the server; null or absent if at the same address as clients do. URLs are always signed
   * for clients.
   */
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
    const { size, etag, metaData, lastModified } = await act((client) =>
      client.statObject(bucket, key),
    );
    const contentType = String(metaData['content-type'] ?? defaultContentType);
    return { key, sizeBytes: size, etag, contentType, modifiedAt: lastModified };
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
        return gatherAnswer(answer, declaredLength(answer), maxBytes);
      }),
    stat,
    remove: (key: string) => act((client) => client.removeObject(bucket, key)),
    presign,
    allow: (origins: readonly string[]) => applyCorsRules(act, bucket, origins),
  } as const;
  return createRemoteStore(acts, settings);
}

/** Sends a request with retries, because all requests can safely be repeated; throws only `ForensicsError`. */
type Act = <T>(request: (client: Client) => Promise<T>) => Promise<T>;

function createAct(open: () => Promise<Client>, { timeouts }: S3StoreSettings): Act {
  const { retryDelayMs } = { ...defaultTimeouts, ...timeouts };
  return (request) =>
    withStoreRetry(retryDelayMs, async () => {
      const client = await open();
      try {
        return await request(client);
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'InvalidBucketNameError')
          throw connectionFailure(error);
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

/**
 * Replaces our CORS rule, which has our id. All other rules belong to the tenant and stay.
 *
 * @see Amazon S3 API Reference, "PutBucketCors".
 */
async function applyCorsRules(
  act: Act,
  bucket: string,
  origins: readonly string[],
): Promise<CorsOutcome> {
  const present = await act((client) => readRules(client, bucket));
  const others = present.filter((rule) => !rule.includes(`<ID>${ruleId}</ID>`));
  const rules = origins.length === 0 ? others : [...others, ruleFor(origins)];
  await act((client) => writeRules(client, bucket, rules));
  return { applied: true };
}

async function readRules(client: Client, bucketName: string): Promise<readonly string[]> {
  try {
    const answer = await client.makeRequestAsync({ method: 'GET', bucketName, query: 'cors' });
    return rulesIn((await gather(answer, maxRulesBytes)).toString());
  } catch (error) {
    const isNone =
      error instanceof ForensicsError && causeCode(error.cause) === 'NoSuchCORSConfiguration';
    if (isNone) return [];
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

async function writeRules(
  client: Client,
  bucketName: string,
  rules: readonly string[],
): Promise<void> {
  // S3 rejects an empty list.
  const method = rules.length === 0 ? 'DELETE' : 'PUT';
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  const list = `<CORSConfiguration xmlns="${namespace}">${rules.join('')}</CORSConfiguration>`;
  const body = Buffer.from(rules.length === 0 ? '' : list);
  const digest = createHash('md5').update(body).digest('base64');
  const headers = { 'content-type': 'application/xml', 'content-md5': digest };
  const request = { method, bucketName, query: 'cors', headers };
  await client.makeRequestAsyncOmit(request, body, [200, 204]);
}

function ruleFor(origins: readonly string[]): string {
  const methods = ['GET', 'HEAD', 'PUT', 'DELETE'];
  return [
    `<CORSRule><ID>${ruleId}</ID>`,
    ...origins.map((origin) => `<AllowedOrigin>${escapeXml(origin)}</AllowedOrigin>`),
    ...methods.map((method) => `<AllowedMethod>${method}</AllowedMethod>`),
    '<AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader>',
    '<MaxAgeSeconds>3600</MaxAgeSeconds></CORSRule>',
  ].join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

// Presigned URLs of objects in an S3 bucket. The client library can also sign them, but takes 25 times as long, and a
// list of analyses has 2,100. What all URLs of the same second have in common is therefore computed once.
// @see Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)".

/**
 * @returns a function that throws {ForensicsError} `invalid_request` for a key that is too long, or not valid Unicode.
 */
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
    return {
      type: 's3',
      objectKey: key,
      putUrl: origin + sign('PUT', path),
      getUrl: origin + sign('GET', path),
      deleteUrl: origin + sign('DELETE', path),
      expiresAt: new Date((second + expirySeconds) * 1000).toISOString(),
    };
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
