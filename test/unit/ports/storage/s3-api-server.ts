/** A real HTTPS server on loopback with the S3 API mounted on it, as the service mounts it. */

import { mkdtempSync, rmSync } from 'node:fs';
import * as promises from 'node:fs/promises';
import type { Server as PlainServer } from 'node:http';
import { createServer, Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import {
  type Buckets,
  type BucketsSettings,
  createBuckets,
} from '../../../../src/ports/storage/embedded/buckets.ts';
import {
  bucketNameFor,
  createBucketCredentials,
} from '../../../../src/ports/storage/embedded/credentials.ts';
import {
  createEmbeddedStore,
  type EmbeddedStoreSettings,
} from '../../../../src/ports/storage/embedded/embedded.ts';
import { createS3Api, type S3ApiSettings } from '../../../../src/ports/storage/s3-server/server.ts';
import { encodePath } from '../../../../src/ports/storage/sigv4/canonical.ts';
import { type PresignRequest, presignUrl } from '../../../../src/ports/storage/sigv4/sigv4.ts';
import type { BlobStore } from '../../../../src/ports/storage/store.ts';
import { makeCertificate } from './certificate.ts';
import { filesUnder } from './files-under.ts';

export const region = 'us-east-1';
export const keys = createBucketCredentials(Buffer.alloc(32, 7));
export const bucket = bucketNameFor('0123456789abcdef01234567');
export const otherBucket = bucketNameFor('fedcba9876543210fedcba98');

export interface S3ApiServer {
  readonly root: string;
  readonly port: number;
  readonly origin: string;
  readonly ca: string;
  /** Trusts the server's certificate. */
  readonly dispatcher: Agent;
  readonly errors: unknown[];
  /** The URL that lets anybody do this to this key, for a minute. */
  urlFor(method: string, key: string, changes?: Partial<PresignRequest>): string;
  /** Names of all files of all buckets, of finished and of unfinished objects. */
  files(): string[];
  /** How many clients are connected. */
  connections(): Promise<number>;
  /** The store beside the S3 API, in the same process, or, with settings, in another one on the same folder. */
  storeOf(name: string, settings?: Partial<BucketsSettings & EmbeddedStoreSettings>): BlobStore;
  readonly buckets: Buckets;
  close(): Promise<void>;
}

const { ca, ...certificate } = await makeCertificate();

export async function startS3Api(
  settings: Partial<BucketsSettings & S3ApiSettings> = {},
  server: Server | PlainServer = createServer(certificate),
): Promise<S3ApiServer> {
  const root = mkdtempSync(join(tmpdir(), 'forensics-s3-api-'));
  const errors: unknown[] = [];
  const buckets = createBuckets({ ...settings, root });
  const s3Api = createS3Api({
    buckets,
    secretFor: (id) => keys.secretFor(id),
    region,
    corsOrigins: ['https://app.example', 'https://*.lab.example'],
    onError: (error) => errors.push(error),
    ...settings,
  });
  server.on('request', (request, response) => void s3Api.handle(request, response));
  server.on(
    'checkContinue',
    (request, response) => void s3Api.handleExpectation(request, response),
  );
  const port = await listen(server);
  const origin = `${server instanceof Server ? 'https' : 'http'}://127.0.0.1:${port}`;
  const dispatcher = new Agent({ connect: { ca }, allowH2: false });

  return {
    root,
    buckets,
    port,
    origin,
    ca,
    dispatcher,
    errors,
    urlFor: (method, key, changes = {}) =>
      presignUrl({
        method,
        url: `${origin}/${bucket}/${encodePath(key)}`,
        credentials: keys.credentialsFor(bucket),
        region,
        expiresSeconds: 60,
        now: new Date(),
        ...changes,
      }),
    files: () => filesUnder(root),
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      }),
    storeOf: (name, more = {}) =>
      createEmbeddedStore({
        buckets: createBuckets({ ...settings, fileSystem: promises, ...more, root }),
        bucket: name,
        credentials: keys.credentialsFor(name),
        endpoint: () => new URL(origin),
        region,
        ...more,
      }),
    async close() {
      await dispatcher.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true });
    },
  };
}

async function listen(server: Server | PlainServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('Not a TCP port.');
  return address.port;
}
