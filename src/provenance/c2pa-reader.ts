/** Hands a signed file to the thread that knows C2PA, and waits for it within bounds. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ForensicsError } from '../errors.ts';

export interface CredentialsTask {
  readonly bytes: Uint8Array;
  readonly mimeType: 'image/jpeg' | 'image/png';
  readonly trustList: string | null;
}

/** The largest file, 50 MB, takes three seconds on a busy machine. */
const timeoutMs = 20_000;
/** Of JavaScript; the library's own memory lies outside and is watched with the child's. */
const maxHeapMb = 256;

/**
 * The manifest store as crJSON (the JSON of the C2PA project's conformance programme), or null when it cannot be read.
 * Costs a fifth of a second, most of it for the
 * library of 9 MB, so that a picture without credentials never pays for it.
 */
export async function readCrJson(workerData: CredentialsTask): Promise<unknown> {
  const worker = new Worker(
    new URL(`./c2pa-thread${extname(import.meta.url)}`, import.meta.url),
    // What a hostile store makes the library say about itself is not for the log.
    {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      stdout: true,
      stderr: true,
    },
  );
  try {
    return parse(await answerOf(worker));
  } finally {
    await worker.terminate();
  }
}

function answerOf(worker: Worker): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, null);
    worker.once('message', resolve);
    worker.once('error', () => resolve(null));
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve(null);
    });
  });
}

function parse(answer: unknown): unknown {
  if (typeof answer !== 'string') return null;
  try {
    return JSON.parse(answer);
  } catch {
    // Deeper than the parser goes.
    return null;
  }
}

/**
 * The certificates of a PEM file, in PEM, without what stands between them.
 *
 * @throws {ForensicsError} `config_invalid` when the file cannot be read or holds no certificate, or a broken one.
 */
export function readTrustList(file: string): string {
  try {
    const blocks = readFileSync(file, 'utf8').match(certificate) ?? [];
    // The library takes any text, and then trusts nobody or reads nothing at all.
    for (const block of blocks) void new X509Certificate(block);
    if (blocks.length > 0) return `${blocks.join('\n')}\n`;
  } catch (error) {
    throw refused(error);
  }
  throw refused();
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function refused(cause?: unknown): ForensicsError {
  return new ForensicsError(
    'config_invalid',
    'The trust list must be a readable PEM file with the certificates of trusted authorities.',
    { cause },
  );
}
