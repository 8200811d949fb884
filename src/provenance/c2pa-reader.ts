/** Passes a signed file to the C2PA thread and waits for the result within limits. */

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

/** The largest accepted file, 50 MB, takes three seconds on a busy machine. */
const timeoutMs = 20_000;
/** JavaScript heap only; the library's own memory lies outside it and is monitored with that of the child process. */
const maxHeapMb = 256;

/**
 * Reads the manifest store as crJSON (the JSON format of the C2PA conformance programme); null if it cannot be read.
 * The first read in a process takes a fifth of a second, mostly for loading the 9 MB library, so it happens only for
 * pictures with credentials.
 */
export async function readCrJson(task: CredentialsTask): Promise<unknown> {
  const workerData: ThreadTask = { ...task, library: compiledLibrary() };
  const worker = new Worker(
    new URL(`./c2pa-thread${extname(import.meta.url)}`, import.meta.url),
    // Keeps the library's messages about a malicious store out of the log.
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

// Missing from the Node.js types.
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object };

let library: object | null = null;

/** The compiled code only: each thread instantiates it with its own memory. */
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
    // Nested too deeply for the parser.
    return null;
  }
}

/**
 * The certificates of a PEM file, without any text between them.
 *
 * @throws {ForensicsError} `config_invalid` if the file cannot be read, contains no certificate, or contains an invalid
 *   one.
 */
export function readTrustList(file: string): string {
  try {
    const blocks = readFileSync(file, 'utf8').match(certificate) ?? [];
    // The library accepts any text, and then trusts no signer or reads nothing at all.
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
