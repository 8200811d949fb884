/**
 * One signed request to an S3 endpoint, path style. The client library signs and sends; what an answer means is decided
 * here, because the library drops the status of a refusal.
 */

import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { finished } from 'node:stream/promises';
import type { Client, ClientOptions } from 'minio';
import { ForensicsError } from '../../errors.ts';
import { createAgent } from '../remote/agent.ts';
import { beginningOf } from '../remote/gather.ts';
import { withRetry } from '../remote/retry.ts';
import type { RemoteSettings } from '../remote/settings.ts';
import { defaultTimeouts, StoreTimeout, type Timeouts } from '../remote/timeouts.ts';
import { unreachable } from '../remote/unreachable.ts';
import type { S3StorageConfig } from '../storage-config.ts';
import { endpointOf } from './place.ts';
import { refusalOf, type S3Refusal } from './refusal.ts';

export interface S3Request {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'PUT';
  /** Left out: the bucket itself. */
  readonly key?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface S3Client {
  /**
   * What `take` makes of the answer. Repeated when the store is not there: for requests that may be sent twice.
   *
   * @throws {ForensicsError} whatever `take` raises; `store_unavailable`, `store_refused`.
   */
  send<T>(
    request: S3Request,
    take: (answer: IncomingMessage) => T | Promise<T>,
    /** Instead of the failure that a refusal means everywhere else. */
    onRefusal?: (refusal: S3Refusal) => T,
  ): Promise<T>;
}

type OnAnswer = (answer: IncomingMessage) => void;

/** The library raises these without their body, and we say that they pass. */
const busy = [408, 429, 499, 500, 502, 503, 504, 520];
/** The library hands out the answers that it was told to expect: all. Others it would read whole and parse as XML. */
const everyStatus = Array.from({ length: 1000 }, (_, i) => i);
/** Whatever is longer is none that we could read. */
const maxRefusalLength = 65_536;

/** @param config - Its endpoint was looked at by `originOf`. */
export function createS3Client(config: S3StorageConfig, settings: RemoteSettings): S3Client {
  const timeouts = { ...defaultTimeouts, ...settings.timeouts };
  const { region, bucketName, useSSL } = config;
  const options: ClientOptions = {
    endPoint: endpointOf(config),
    port: config.port,
    useSSL,
    region,
    accessKey: config.accessKeyId,
    secretKey: config.secretAccessKey,
    transportAgent: createAgent(useSSL, settings),
    transport: createTransport(useSSL, timeouts),
    // The library's own repetition writes to the console.
    retryOptions: { disableRetry: true },
  };
  let opening: Promise<Client> | undefined;

  async function ask({ method, key, query, headers, body }: S3Request): Promise<IncomingMessage> {
    opening ??= openClient(options);
    const client = await opening;
    const target = {
      method,
      bucketName,
      pathStyle: true,
      headers: { ...headers },
      ...(key === undefined ? {} : { objectName: key }),
      ...(query === undefined ? {} : { query }),
    };
    return client.makeRequestAsync(target, body ?? '', everyStatus, region);
  }

  async function attempt<T>(
    what: S3Request,
    take: (answer: IncomingMessage) => T | Promise<T>,
    onRefusal: (refusal: S3Refusal) => T,
  ): Promise<T> {
    try {
      const answer = await ask(what);
      const status = answer.statusCode ?? 0;
      if (status >= 200 && status < 300) return await take(answer);
      return onRefusal(refusalOf(status, await beginningOf(answer, maxRefusalLength)));
    } catch (error) {
      throw toFailure(error);
    }
  }

  return {
    send: (what, take, onRefusal = raise) =>
      withRetry(timeouts.retryDelayMs, () => attempt(what, take, onRefusal)),
  };
}

/** Loading the library takes 0.15 s, and most installations have no S3 store. */
async function openClient(options: ClientOptions): Promise<Client> {
  const minio = await import('minio');
  return new minio.Client(options);
}

/** To its end, so that the connection can be used again. */
export async function drain(answer: IncomingMessage): Promise<IncomingMessage> {
  await finished(answer.resume());
  return answer;
}

function raise(refusal: S3Refusal): never {
  throw refusal.failure;
}

/** Node's own, with an end to every request. */
function createTransport(
  useSSL: boolean,
  { totalMs }: Timeouts,
): Required<ClientOptions>['transport'] {
  const start = useSSL ? secureRequest : request;
  return {
    request(
      options: RequestOptions | string | URL,
      onAnswer?: RequestOptions | OnAnswer,
    ): ClientRequest {
      if (typeof options === 'string' || options instanceof URL || typeof onAnswer !== 'function') {
        throw new TypeError('A request is options and a callback.');
      }
      const outgoing = start(options, (answer) => {
        incoming = answer;
        if (busy.includes(answer.statusCode ?? 0)) answer.resume();
        onAnswer(answer);
      });
      let incoming: IncomingMessage | undefined;
      const timer = setTimeout(() => {
        const late = new StoreTimeout('No whole answer within the time allowed.');
        (incoming ?? outgoing).destroy(late);
      }, totalMs);
      timer.unref();
      return outgoing.once('close', () => clearTimeout(timer));
    },
  };
}

function toFailure(error: unknown): ForensicsError {
  const status =
    error instanceof Error ? /HTTP status: (\d{3})/.exec(error.message)?.[1] : undefined;
  if (status === undefined) return unreachable(error);
  return new ForensicsError(
    'store_unavailable',
    `The store is busy (HTTP ${status}); try again later.`,
  );
}
