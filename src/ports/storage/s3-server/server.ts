/**
 * The embedded store's S3 API: PUT, GET, HEAD and DELETE of single objects, path style, and CORS preflight. That is what
 * presigned URLs need. A request is authorised by its signature alone, and only for the bucket whose key signed it. It
 * knows no framework and no tenants.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ForensicsError } from '../../../errors.ts';
import type { Buckets } from '../embedded/buckets.ts';
import { type BucketAccount, isBucketName } from '../embedded/credentials.ts';
import { parseTarget } from '../sigv4/parse.ts';
import { verifyRequest } from '../sigv4/sigv4.ts';
import { maxKeyBytes } from '../store.ts';
import { createCors } from './cors.ts';
import { S3Error, supportedOperations } from './errors.ts';
import { getObject } from './get-object.ts';
import { deleteCondition } from './headers.ts';
import { putObject } from './put-object.ts';
import type { Limits, ObjectRequest } from './request.ts';
import { sendError, toS3Error } from './send-error.ts';

export interface S3ApiSettings {
  /** The same as the stores'. */
  readonly buckets: Buckets;
  readonly secretFor: (accessKeyId: string) => BucketAccount | null;
  readonly region: string;
  readonly now?: () => Date;
  /** Origins whose pages may use presigned URLs: `*`, an origin, or one with a `*` in it. */
  readonly corsOrigins: readonly string[];
  /** 30 s when left out. */
  readonly idleTimeoutMs?: number;
  /** Receives failures of the store itself, never errors that the client caused. */
  readonly onError?: (error: unknown, requestId: string) => void;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface S3Api {
  /** Answers one request to a path whose first segment is a bucket's name. Never rejects. */
  readonly handle: Handler;
  /** For the server's event `checkContinue`: asks for the body only when it will be accepted. */
  readonly handleExpectation: Handler;
}

const operations: Readonly<Record<string, (request: ObjectRequest) => Promise<void>>> = {
  GET: getObject,
  HEAD: getObject,
  PUT: putObject,
  DELETE: deleteObject,
};

/** Also removes what crashed writers left in any bucket. @throws {ForensicsError} `store_unavailable`. */
export function createS3Api(settings: S3ApiSettings): S3Api {
  const { buckets, region, secretFor, now = () => new Date() } = settings;
  const { idleTimeoutMs = 30_000, onError } = settings;
  const limits: Limits = { maxObjectBytes: buckets.maxObjectBytes, idleTimeoutMs };
  const cors = createCors(settings.corsOrigins);

  /** @throws {S3Error} unless the request is signed with the key of the bucket that it names. */
  function authorise(
    request: IncomingMessage,
  ): Pick<ObjectRequest, 'key' | 'objects' | 'bodySha256'> {
    const target = request.url ?? '';
    const { path, query } = parseTarget(target);
    const [, bucket = '', ...rest] = path.split('/');
    const { account, bodySha256 } = verifyRequest({
      method: request.method ?? '',
      target,
      headers: request.headersDistinct,
      secretFor,
      region,
      now: now(),
    });
    // After the signature: who has no key learns nothing, not even which buckets there are.
    if (account.bucket !== bucket || !isBucketName(bucket)) throw new S3Error('AccessDenied');
    checkSupported(
      request,
      query.map(([name]) => name),
    );
    const key = rest.join('/');
    if (key === '') throw new S3Error('NotImplemented');
    if (Buffer.byteLength(key) > maxKeyBytes) throw new S3Error('KeyTooLongError');
    return { key, objects: buckets.of(bucket).objects, bodySha256 };
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    isWaiting: boolean,
  ): Promise<void> {
    const requestId = randomBytes(8).toString('hex').toUpperCase();
    setSecurityHeaders(response, requestId);
    cors.decorate(request, response);
    let mayBeSending = !isWaiting;
    const askForBody = () => {
      if (!mayBeSending) response.writeContinue();
      mayBeSending = true;
    };
    try {
      if (request.method === 'OPTIONS') cors.preflight(request, response);
      else {
        const authorised = authorise(request);
        const operation = operations[request.method ?? ''];
        if (operation === undefined) throw new S3Error('NotImplemented');
        await operation({ ...authorised, request, response, limits, askForBody });
      }
    } catch (error) {
      const isGone = response.destroyed || request.socket.destroyed;
      if (isOwnFailure(error, isGone)) onError?.(error, requestId);
      if (isGone || response.headersSent) response.destroy();
      else await sendError(request, response, toS3Error(error), mayBeSending);
    }
  }

  buckets.sweep();

  return {
    handle: (request, response) => serve(request, response, false),
    handleExpectation: (request, response) => serve(request, response, true),
  };
}

/**
 * A parameter or an `x-amz-*` header changes what a request means. None is ignored: better an error than a wish forgotten.
 *
 * @throws {S3Error} `NotImplemented`.
 */
function checkSupported(request: IncomingMessage, parameters: readonly string[]): void {
  const parameter = parameters.find((name) => name !== 'x-id' && !name.startsWith('X-Amz-'));
  const header = Object.keys(request.headers).find(
    (name) => name.startsWith('x-amz-') && name !== 'x-amz-date' && name !== 'x-amz-content-sha256',
  );
  const unknown = parameter === undefined ? header : `?${parameter}`;
  if (unknown !== undefined) throw notSupported(unknown);
  if (/\baws-chunked\b/.test(request.headers['content-encoding'] ?? '')) {
    throw notSupported('aws-chunked');
  }
}

function notSupported(what: string): S3Error {
  return new S3Error('NotImplemented', `${what} is not supported. ${supportedOperations}`);
}

async function deleteObject({ request, response, objects, key }: ObjectRequest): Promise<void> {
  await objects.remove(key, deleteCondition(request));
  response.statusCode = 204;
  response.end();
}

/** Whatever was uploaded, a browser must not run it as a page of this origin, nor send others its signed URL. */
function setSecurityHeaders(response: ServerResponse, requestId: string): void {
  response.setHeader('x-amz-request-id', requestId);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Referrer-Policy', 'no-referrer');
}

/** S3 errors are the client's doing, and so is what breaks in Node when a client goes away. */
function isOwnFailure(error: unknown, isGone: boolean): boolean {
  if (error instanceof S3Error) return false;
  return error instanceof ForensicsError ? error.status >= 500 : !isGone;
}
