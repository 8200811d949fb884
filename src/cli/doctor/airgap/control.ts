/** Tries on purpose what an air-gapped program must not do, so that it is known whether that would be seen. */

import { fork } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { lookup, Resolver } from 'node:dns';
import { resolve4 } from 'node:dns/promises';
import { once } from 'node:events';
import { get } from 'node:https';
import { connect } from 'node:net';
import { type ControlTold, countNoRoutes } from './attempts.ts';

// Nobody's address and nobody's name (RFC 5737, RFC 6761): what slips through reaches no one.
const address = '192.0.2.1';
const name = 'airgap.invalid';
const limitMs = 500;

const attempts: readonly ((end: () => void) => unknown)[] = [
  (end) =>
    connect({ host: address, port: 443, timeout: limitMs }).on('error', end).on('timeout', end),
  (end) => get(`https://${address}/`, { timeout: limitMs }).on('error', end).on('timeout', end),
  (end) =>
    void fetch(`https://${address}/`, { signal: AbortSignal.timeout(limitMs) }).then(end, end),
  (end) => lookup(name, end),
  (end) => new Resolver({ timeout: limitMs, tries: 1 }).resolve(name, end),
  (end) => void resolve4(name).then(end, end),
  (end) => {
    const socket = createSocket('udp4').on('error', end);
    socket.send('x', 9, address, () => socket.close(end));
  },
];

const tried = attempts.map(
  async (attempt) => new Promise<void>((end) => void attempt(() => end())),
);
await Promise.all(tried);
if (process.argv[2] !== 'child') {
  // What is watched in a process has to be watched in those that it starts.
  await once(fork(import.meta.filename, ['child']), 'exit');
  const told: ControlTold = { attempts: 2 * attempts.length, noRoutes: countNoRoutes() };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
// A connection whose time is up may still be open.
process.exit();
