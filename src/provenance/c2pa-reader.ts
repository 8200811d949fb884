/** Hands a signed file to the thread that knows C2PA, and waits for it within bounds. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ForensicsError } from '../errors.ts';

interface CredentialsTask {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly trustList: string | null;
}

export interface ThreadTask extends CredentialsTask {
  /** A compiled `WebAssembly.Module`. */
  readonly library: object;
}

/** The largest file, 50 MB, takes three seconds on a busy machine. */
const timeoutMs = 20_000;
/** Of JavaScript; the library's own memory lies outside and is watched with the child's. */
const maxHeapMb = 256;

/**
 * The manifest store as crJSON (the JSON of the C2PA project's conformance programme), or null when it cannot be read.
 * The first one of a process costs a fifth of a second, most of it for the library of 9 MB, so that a picture without
 * credentials never pays for it.
 */
export async function readCrJson(task: CredentialsTask): Promise<unknown> {
  const workerData: ThreadTask = { ...task, library: compiledLibrary() };
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
    return parse(await awaitAnswer(worker));
  } finally {
    await worker.terminate();
  }
}

// The types of Node.js leave it out.
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object };

let library: object | null = null;

/** The code alone: each thread makes an instance of it, with a memory of its own. */
function compiledLibrary(): object {
  const file = fileURLToPath(import.meta.resolve('@contentauth/c2pa-wasm/c2pa.wasm'));
  library ??= new WebAssembly.Module(readFileSync(file));
  return library;
}

function awaitAnswer(worker: Worker): Promise<unknown> {
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
    // The library takes any text, and then trusts no signer or reads nothing at all.
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
