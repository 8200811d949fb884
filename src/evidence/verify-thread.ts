/** Verifies a bundle in a thread, so that a malicious one takes up neither the time nor the memory of the server. */

import { parentPort, workerData } from 'node:worker_threads';
import { ForensicsError } from '../contract/errors.ts';
import type { Verification } from './bundle-format.ts';
import { verifyBundle } from './verify.ts';

/** `unreadable`: the message of a `bundle_unreadable`. */
export type ThreadAnswer =
  | { readonly verification: Verification }
  | { readonly unreadable: string };

async function verify(fd: number): Promise<ThreadAnswer> {
  try {
    return { verification: await verifyBundle(fd) };
  } catch (error) {
    if (error instanceof ForensicsError) return { unreadable: error.message };
    throw error;
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node.js, not a window.
parentPort?.postMessage(await verify(Number(workerData)));
