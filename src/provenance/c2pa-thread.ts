/** Reads one store in its own thread, ended afterwards, so that a malicious one cannot keep time or memory. */

import { parentPort, workerData } from 'node:worker_threads';
import { initSync, WasmReader } from '@contentauth/c2pa-wasm';
import type { ThreadTask } from './c2pa-reader.ts';

/** crJSON is text: once its pictures are left out, it is far shorter than this, even for a 16 MB store. */
const maxAnswerLength = 4_000_000;

/** Nothing in a file may cause a connection: two settings forbid it, and the network functions are removed as well. */
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

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both ends are ours, in the same version.
const answer = await read(workerData as ThreadTask);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node.js, not a window.
parentPort?.postMessage(answer);
