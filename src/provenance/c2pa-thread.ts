/**
 * Reads one manifest store in a separate thread, so that a malicious store cannot permanently take the child process's
 * time or memory: the thread is terminated afterwards. This is the only file that imports the C2PA library.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { initSync, WasmReader } from '@contentauth/c2pa-wasm';
import type { ThreadTask } from './c2pa-reader.ts';

/** crJSON is text: a 16 MB store stays far below this once its pictures are left out. */
const maxAnswerLength = 4_000_000;

/**
 * Nothing in a file may open a connection. Two library settings forbid it (no remote manifests, no allowed hosts), and
 * the network functions are removed.
 */
globalThis.fetch = () => Promise.reject(new Error('The examination may not open connections.'));

const readerSettings = (trustList: string | null) => ({
  verify: {
    remote_manifest_fetch: false,
    ocsp_fetch: false,
    verify_trust: true,
    verify_timestamp_trust: true,
  },
  core: {
    allowed_network_hosts: [],
    allow_redirects: false,
    decode_identity_assertions: true,
    max_decompressed_manifest_size_in_mb: 16,
  },
  trust: trustList === null ? {} : { user_anchors: trustList },
});

async function read({ bytes, mimeType, trustList, library }: ThreadTask): Promise<string> {
  initSync({ module: library });
  const settings = JSON.stringify(readerSettings(trustList));
  const reader = await WasmReader.fromBytes(mimeType, bytes, settings);
  const answer = reader.crJson();
  if (answer.length > maxAnswerLength) throw new Error('The manifest store is too large.');
  return answer;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both ends are ours and of the same version.
const answer = await read(workerData as ThreadTask);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node.js, no window.
parentPort?.postMessage(answer);
