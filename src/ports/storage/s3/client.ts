/**
 * The client library, with time limits and our own error messages: left to itself, it waits forever, parses any
 * response as XML, and discards the status.
 *
 * @see Amazon S3 API Reference, "List of error codes"; the storage-full codes are those of MinIO.
 */

import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Client, ClientOptions } from 'minio';
import type { S3StorageConfig } from '../../../contract/tenant.ts';
import type { ForensicsError } from '../../../errors.ts';
import {
  connectionFailure,
  createAgent,
  defaultTimeouts,
  meaningTable,
  type RemoteSettings,
  StoreTimeout,
  toStoreError,
} from '../remote/http.ts';
import { readStart } from '../../files/streams.ts';
import { s3Host } from '../configs.ts';

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
export function createS3Client(
  config: S3StorageConfig,
  settings: RemoteSettings,
): () => Promise<Client> {
  const { region, useSSL } = config;
  const { totalMs } = { ...defaultTimeouts, ...settings.timeouts };
  const options: ClientOptions = {
    endPoint: s3Host(config),
    port: config.port,
    useSSL,
    // Without a region, the library would ask the server before each request.
    region,
    accessKey: config.accessKeyId,
    secretKey: config.secretAccessKey,
    partSize,
    transportAgent: createAgent(useSSL, settings),
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
        const late = new StoreTimeout('No complete response within the time allowed.');
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
    return toStoreError({ status: answer.statusCode ?? 0, code }, meanings);
  } catch (error) {
    return connectionFailure(error);
  }
}

const meanings = meaningTable([
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
