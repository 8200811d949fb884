/** Connections to remote stores. A failure is retried, or becomes a message that says what to check. */

import { Agent, type IncomingMessage, request, type RequestOptions } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { Socket } from 'node:net';
import {
  causeCode,
  type ErrorCode,
  ForensicsError,
  hasCode,
  nullOn,
  storeUnavailable,
} from '../../../contract/errors.ts';
import { backoffMs, retry } from '../../../waiting.ts';
import { maxUploadBytes } from '../../../contract/limits.ts';
import {
  type BlobInfo,
  type BlobStore,
  type CorsOutcome,
  defaultContentType,
  type RemoteStore,
} from '../store.ts';
import type { ConnectionGuard } from '../../network/address-guard.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import { readUpTo } from '../../files/files.ts';

const untrusted =
  "This server does not trust the store's certificate. Set NODE_EXTRA_CA_CERTS to the certificate file of its authority.";
const otherProtocol =
  'The store uses a different protocol from the one expected. Check the scheme (useSSL) and the port.';
const forbidden =
  "This server must not connect to the store's address. Its administrator can allow it (storageAllow: private, or an address range).";

const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: "The store's host name is unknown. Check the endpoint.",
  no_address:
    "The store's host name is unknown, or leads to an address that this server must not connect to. Check the endpoint, or ask the administrator to allow it (storageAllow).",
  EAI_AGAIN: "The store's host name could not be looked up. Check the endpoint and the DNS.",
  ECONNREFUSED: "Nothing answers at the store's address. Check the endpoint and the port.",
  EHOSTUNREACH: 'There is no route to the store. Check the endpoint and the network.',
  ETIMEDOUT: 'The store did not respond in time. Try again later.',
  ENETUNREACH: 'There is no route to the store. Check the endpoint and the network.',
};

/** Codes of Node.js for certificates that cannot be trusted, such as `CERT_HAS_EXPIRED`. */
const certificateCode = /CERT|UNABLE_TO_VERIFY/;

/** @returns `store_refused` if only a different configuration can help, otherwise `store_unavailable`. */
export function connectionFailure(error: unknown): ForensicsError {
  if (error instanceof ForensicsError) return error;
  const code = causeCode(error);
  // Libraries attach the whole request to their errors, including the signature, so only name and code are kept.
  const name = error instanceof Error ? error.name : 'Error';
  const cause = Object.assign(new Error(`${name} ${code}`.trim()), { code });
  const refusal = configurationFault(code);
  if (refusal !== null) return new ForensicsError('store_refused', refusal, { cause });
  const message = sentences[code] ?? 'The connection to the store was lost. Try again later.';
  return storeUnavailable(message, { cause });
}

function configurationFault(code: string): string | null {
  if (code === 'address_refused') return forbidden;
  if (code === 'EPROTO' || /^(?:ERR_SSL|HPE)_/.test(code)) return otherProtocol;
  return certificateCode.test(code) ? untrusted : null;
}

export type Meaning = readonly [code: ErrorCode, message: string];

/** @param rows - codes of a store, separated by spaces, and what they mean. */
export function meaningTable(rows: readonly (readonly [codes: string, ...meaning: Meaning])[]) {
  const entries = rows.flatMap(([codes, ...meaning]) =>
    codes.split(' ').map((code) => [code, meaning] as const),
  );
  return new Map<string, Meaning>(entries);
}

export interface Refusal {
  readonly status: number;
  /** The store's own error code; empty if the response has none. */
  readonly code: string;
}

const busy = [408, 429, 499, 503];

/** Keeps nothing of the signed request. @param meanings - by the store's error code and, for other codes, by status. */
export function toStoreError(
  { status, code }: Refusal,
  meanings: ReadonlyMap<string, Meaning>,
): ForensicsError {
  const [failure, message] =
    meanings.get(code) ?? meanings.get(String(status)) ?? meaningByStatus(status, code);
  const cause = Object.assign(new Error(`HTTP ${status} ${code}`.trim()), { code });
  return new ForensicsError(failure, message, { cause });
}

function meaningByStatus(status: number, code: string): Meaning {
  const said = code === '' ? `HTTP ${status}` : `${code}, HTTP ${status}`;
  if (status === 404 && code === '') {
    return ['blob_not_found', 'The store has no object with this key.'];
  }
  if (status === 507) {
    return ['no_space_left', 'The store is full. Free some space or raise its quota.'];
  }
  if (busy.includes(status)) {
    return ['store_unavailable', `The store is busy (${said}). Try again later.`];
  }
  if (status >= 500 && status !== 501) return ['store_unavailable', `The store failed (${said}).`];
  return ['store_refused', `The store refused the request (${said}). Check its configuration.`];
}

const attempts = 3;

/** Not after a timeout, because a caller is waiting. @param delayMs - before the second attempt; then twice as long. */
export function withStoreRetry<T>(delayMs: number, act: () => Promise<T>): Promise<T> {
  return retry(act, {
    pauseAfter(error, attempt) {
      const mayPass = hasCode(error, 'store_unavailable') && causeCode(error.cause) !== 'ETIMEDOUT';
      return attempt < attempts && mayPass ? backoffMs(attempt, delayMs, 2) : null;
    },
  });
}

interface Timeouts {
  /** Until the connection is established, which includes TLS. */
  readonly connectMs: number;
  /** Maximum time without a byte in either direction. */
  readonly idleMs: number;
  /** For one request, from its first byte to the last byte of the response, however steadily bytes arrive. */
  readonly totalMs: number;
  /** Before the first retry; twice as long before each further one. */
  readonly retryDelayMs: number;
}

export class StoreTimeout extends Error {
  override readonly name = 'StoreTimeout';
  readonly code = 'ETIMEDOUT';
}

export const defaultTimeouts: Timeouts = {
  connectMs: 5000,
  idleMs: 30_000,
  // Enough for 50 MiB at 7 Mbit/s.
  totalMs: 60_000,
  retryDelayMs: 200,
};

export interface RemoteSettings {
  readonly timeouts?: Partial<Timeouts>;
  /** Certificate authorities to trust instead of the system's, in PEM. */
  readonly ca?: string;
  /** Default: 50 MiB. */
  readonly maxObjectBytes?: number;
  /** Checks the addresses to which connections are made; if absent, all are allowed. */
  readonly guard?: ConnectionGuard;
}

/** Keeps connections alive, closes them if the other side is silent, and connects only where the guard allows. */
export function createAgent(useSSL: boolean, settings: RemoteSettings): Agent {
  const { ca, guard } = settings;
  const timeouts = { ...defaultTimeouts, ...settings.timeouts };
  const options = { keepAlive: true, timeout: timeouts.idleMs, lookup: guard && guard.lookup };
  const agent = useSSL
    ? new SecureAgent({ ...options, ...(ca === undefined ? {} : { ca }) })
    : new Agent(options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (target, callback) => {
    const refusal = guard?.refusalOf(target.host ?? '') ?? null;
    if (refusal !== null) {
      callback?.(refusal, new Socket());
      return undefined;
    }
    const connection = connect(target, callback);
    if (!(connection instanceof Socket)) throw new TypeError('Expected a socket.');
    limitTime(connection, useSSL ? 'secureConnect' : 'connect', timeouts);
    return connection;
  };
  const reuse = agent.reuseSocket.bind(agent);
  agent.reuseSocket = (connection, next) => {
    // Restores our timeout: while idle, the connection had the one that the server announced.
    if (connection instanceof Socket) connection.setTimeout(timeouts.idleMs);
    reuse(connection, next);
  };
  return agent;
}

/** Follows no redirects. */
export function sendRequest(
  url: string,
  options: RequestOptions,
  body?: Uint8Array | string,
): Promise<IncomingMessage> {
  const start = url.startsWith('https:') ? secureRequest : request;
  return new Promise((resolve, reject) => {
    start(url, options, resolve).once('error', reject).end(body);
  });
}

function limitTime(socket: Socket, connected: string, { connectMs, idleMs }: Timeouts): void {
  // Destroys the socket itself, which works with every client library.
  const end = (why: string) => socket.destroy(new StoreTimeout(why));
  const timer = setTimeout(() => end('No connection within the time allowed.'), connectMs);
  const stop = () => clearTimeout(timer);
  socket.once(connected, stop).once('close', stop);
  socket.setTimeout(idleMs, () => end('No byte within the time allowed.'));
}

/** What one kind of store does with an object, once key, size and content type have been checked. */
interface RemoteActs extends Pick<BlobStore, 'type' | 'read' | 'presign'> {
  checkKey(key: string): void;
  upload(key: string, bytes: Buffer, contentType: string): Promise<BlobInfo>;
  /** @throws {ForensicsError} `blob_not_found`. */
  stat(key: string): Promise<BlobInfo>;
  /** @throws {ForensicsError} `blob_not_found`. */
  remove(key: string): Promise<unknown>;
  allow(origins: readonly string[]): Promise<CorsOutcome>;
}

export function createRemoteStore(
  acts: RemoteActs,
  { maxObjectBytes = maxUploadBytes }: RemoteSettings,
): RemoteStore {
  const store: BlobStore = {
    type: acts.type,
    async put(key, body, { contentType = defaultContentType } = {}) {
      acts.checkKey(key);
      if (body.length > maxObjectBytes) throw tooLarge(maxObjectBytes);
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      return acts.upload(key, bytes, contentType);
    },
    async read(key, maxBytes) {
      acts.checkKey(key);
      return acts.read(key, maxBytes);
    },
    async head(key) {
      acts.checkKey(key);
      return nullOn(['blob_not_found'], () => acts.stat(key));
    },
    async delete(key) {
      acts.checkKey(key);
      await nullOn(['blob_not_found'], () => acts.remove(key));
    },
    presign: acts.presign,
  };
  return {
    ...store,
    probe: () => probeStore(store),
    async applyCors(origins) {
      try {
        return await acts.allow(origins);
      } catch (error) {
        // If a store rejects CORS rules, it can still be used.
        if (error instanceof ForensicsError) return { applied: false, reason: error.message };
        throw error;
      }
    },
  };
}

/** A new key each time, so that concurrent tests of a store do not collide. */
export function probeKey(): string {
  return `forensics-probe/${randomUUID()}`;
}

/** Does all that the service does with pictures. @throws {ForensicsError} `store_refused`, `store_unavailable`. */
export async function probeStore(store: BlobStore): Promise<void> {
  const key = probeKey();
  const bytes = randomBytes(64);
  await store.put(key, bytes);
  let read: Uint8Array;
  try {
    read = await store.read(key, bytes.length);
  } finally {
    await store.delete(key);
  }
  if (!bytes.equals(read)) {
    throw new ForensicsError(
      'store_refused',
      'The store returned bytes that differ from those written. Check any proxy between the store and this server.',
    );
  }
  // A missing object must differ from a forbidden one: for that, S3 needs permission to list the bucket.
  await store.head(key);
}

/** @param expected - the declared length, or null. @throws {ForensicsError} `blob_too_large`, `store_unavailable`. */
export async function gatherAnswer(
  answer: AsyncIterable<unknown> & { destroy(): unknown },
  expected: number | null,
  maxBytes: number,
): Promise<Buffer> {
  if (expected !== null && expected > maxBytes) {
    answer.destroy();
    throw tooLarge(maxBytes);
  }
  const bytes = await gather(answer, maxBytes);
  if (expected === null || bytes.length === expected) return bytes;
  throw storeUnavailable('The store sent only part of the object. Try again later.');
}

/** @throws {ForensicsError} `blob_too_large` if there are more than `maxBytes`. */
export async function gather(stream: AsyncIterable<unknown>, maxBytes: number): Promise<Buffer> {
  const bytes = await readUpTo(stream, maxBytes);
  if (bytes === undefined) throw tooLarge(maxBytes);
  return bytes;
}

function tooLarge(maxBytes: number): ForensicsError {
  return new ForensicsError('blob_too_large', `The object is larger than ${maxBytes} bytes.`);
}
