/**
 * The embedded store's HTTP door: the part of S3 that clients need to put, get and list objects, path style. A request
 * is let in by its signature alone, and only to the bucket whose key signed it. It knows no framework and no tenants.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ForensicsError } from '../errors.ts';
import type { Buckets } from './buckets.ts';
import { type BucketAccount, isBucketName } from './credentials.ts';
import type { Call, Limits } from './door/call.ts';
import { createCors } from './door/cors.ts';
import { refuse, toRefusal } from './door/refuse.ts';
import { routeCall } from './door/route.ts';
import { Refusal } from './refusal.ts';
import { parseTarget } from './signature/claim.ts';
import { verifyRequest } from './sigv4.ts';

export interface S3DoorSettings {
  /** The same as the stores'. */
  readonly buckets: Buckets;
  readonly secretFor: (accessKeyId: string) => BucketAccount | null;
  readonly region: string;
  readonly now?: () => Date;
  /** Origins whose pages may use presigned URLs: `*`, an origin, or one with a `*` in it. */
  readonly corsOrigins: readonly string[];
  /** 30 s when left out. */
  readonly idleTimeoutMs?: number;
  /** Hears of failures that are the store's own, never of refusals. */
  readonly onError?: (error: unknown, requestId: string) => void;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface S3Door {
  /** Answers one request to a path whose first segment is a bucket's name. Never rejects. */
  readonly handle: Handler;
  /** For the server's event `checkContinue`: asks for the body only when it will be taken. */
  readonly handleExpectation: Handler;
}

/** Also removes what crashed writers left in any bucket. @throws {ForensicsError} `store_unavailable`. */
export function createS3Door(settings: S3DoorSettings): S3Door {
  const { buckets, region, secretFor, now = () => new Date() } = settings;
  const { idleTimeoutMs = 30_000, onError } = settings;
  const limits: Limits = { maxObjectBytes: buckets.maxObjectBytes, idleTimeoutMs };
  const cors = createCors(settings.corsOrigins);

  /** @throws {Refusal} unless the request is signed with the key of the bucket that it names. */
  function admit(request: IncomingMessage): Omit<Call, 'request' | 'response' | 'askForBody'> {
    const target = request.url ?? '';
    const { bucket, key, query } = parsePlace(target);
    const { account, payload } = verifyRequest({
      method: request.method ?? '',
      target,
      headers: request.headersDistinct,
      secretFor,
      region,
      now: now(),
    });
    // After the signature: who has no key learns nothing, not even which buckets there are.
    if (account.bucket !== bucket || !isBucketName(bucket)) throw new Refusal('AccessDenied');
    const { objects, uploads } = buckets.of(bucket);
    return { bucket, key, query, region, payload, objects, uploads, limits, cors };
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    isWaiting: boolean,
  ): Promise<void> {
    const requestId = randomBytes(8).toString('hex').toUpperCase();
    setGuards(response, requestId);
    cors.decorate(request, response);
    let mayBeSending = !isWaiting;
    const askForBody = () => {
      if (!mayBeSending) response.writeContinue();
      mayBeSending = true;
    };
    try {
      if (request.method === 'OPTIONS') cors.preflight(request, response);
      else await routeCall({ ...admit(request), request, response, askForBody });
    } catch (error) {
      const isGone = response.destroyed || request.socket.destroyed;
      const refusal = toRefusal(error);
      if (isOwnFailure(error, isGone)) onError?.(error, requestId);
      if (isGone || response.headersSent) response.destroy();
      else await refuse(request, response, refusal, mayBeSending);
    }
  }

  buckets.sweep();

  return {
    handle: (request, response) => serve(request, response, false),
    handleExpectation: (request, response) => serve(request, response, true),
  };
}

/** Whatever was uploaded, a browser must not run it as a page of this origin, nor tell others its signed URL. */
function setGuards(response: ServerResponse, requestId: string): void {
  response.setHeader('x-amz-request-id', requestId);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Referrer-Policy', 'no-referrer');
}

/** Refusals are the client's doing, and so is what breaks in Node when a client goes away. */
function isOwnFailure(error: unknown, isGone: boolean): boolean {
  if (error instanceof Refusal) return false;
  return error instanceof ForensicsError ? error.status >= 500 : !isGone;
}

function parsePlace(target: string): Pick<Call, 'bucket' | 'key' | 'query'> {
  const { path, query } = parseTarget(target);
  const at = path.indexOf('/', 1);
  const [bucket, key] = at < 0 ? [path.slice(1), ''] : [path.slice(1, at), path.slice(at + 1)];
  return { bucket, key, query: new Map(query) };
}
