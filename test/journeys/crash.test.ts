/** A crash of the server costs nothing but time. */

import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { clientOf, newDataDir, startServing } from './serving.ts';

const dataDir = newDataDir();
const environment = { FORENSICS_LEASE_SECONDS: '2' };

test('an analysis interrupted by kill -9 is completed by the next server', async () => {
  const size = { width: 1200, height: 900 };
  const first = await startServing(dataDir, environment);
  const { apiKey, tenantName } = first.ready;
  const before = clientOf(first, tenantName ?? '', apiKey ?? '');
  const made = await before.create({ format: 'jpg', ...size });
  await before.upload(made, await sceneJpeg({ ...size, seed: 1 }));
  await before.send('POST', '/start', { id: made.id });
  const interrupted = await before.until(made.id, ['processing', 'completed']);
  const children = childrenOf(first.child.pid ?? 0);
  await first.end('SIGKILL');

  const second = await startServing(dataDir, environment);
  const after = clientOf(second, tenantName ?? '', apiKey ?? '');
  const done = await after.until(made.id, ['completed', 'failed']);
  await waitUntilGone(children);
  const code = await second.end('SIGTERM');

  expect(interrupted.inferenceStatus.status).toBe('processing');
  expect(done.inferenceStatus.status).toBe('completed');
  expect(second.ready.apiKey).toBeNull();
  expect(code).toBe(0);
});

/** From /proc on Linux; empty elsewhere. */
function childrenOf(pid: number): readonly number[] {
  if (process.platform !== 'linux') return [];
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

async function waitUntilGone(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    while (isAlive(pid)) await setTimeout(20);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
