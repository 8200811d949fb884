/**
 * Shows that nothing leaves the machine: the kernel counts what a command sends in a network
 * namespace without routes.
 */

import { execFile, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test as anyTest, expect } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';
import { entry } from '../cli/run-cli.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';

const run = promisify(execFile);

// Not available everywhere: containers and some distributions forbid namespaces.
const { status, error, stderr } = spawnSync('unshare', ['-rn', 'true'], { encoding: 'utf8' });
if (status !== 0) process.stderr.write(`No network namespace here: ${error?.message ?? stderr}\n`);
const test = anyTest.runIf(status === 0);

interface Sent {
  /** Packets accepted by any interface of the namespace. */
  readonly transmitted: number;
  /** Attempts for which the kernel had no route, to this machine or others. */
  readonly withoutRoute: number;
}

/**
 * Runs a Node.js program in a namespace whose only interface, loopback, is down. @throws when it
 * fails.
 */
async function runIsolated(args: readonly string[]): Promise<Sent> {
  const home = newFolder();
  const script = '"$@" >/dev/null && cat /proc/net/dev /proc/net/snmp';
  const { stdout } = await run(
    'unshare',
    ['-rn', 'sh', '-c', script, 'sh', process.execPath, ...args],
    { cwd: home, env: { PATH: process.env['PATH'], HOME: home } },
  );
  return { transmitted: transmittedIn(stdout), withoutRoute: withoutRouteIn(stdout) };
}

/** `/proc/net/dev`: one line per interface, with packets sent in the tenth column. */
function transmittedIn(text: string): number {
  const interfaces = [...text.matchAll(/^ *[\w.-]+:((?: +\d+){16})$/gm)];
  expect(interfaces.length).toBeGreaterThan(0);
  const packets = interfaces.map(([, columns = '']) => Number(columns.trim().split(/ +/)[9]));
  return packets.reduce((sum, count) => sum + count, 0);
}

/** `/proc/net/snmp`: a line of names, then a line of numbers. */
function withoutRouteIn(text: string): number {
  const [names = [], numbers = []] = [...text.matchAll(/^Ip: (.*)$/gm)].map(([, columns = '']) =>
    columns.split(' '),
  );
  return Number(numbers[names.indexOf('OutNoRoutes')]);
}

test.each([
  ['another machine', `net.connect(443, '192.0.2.1')`],
  ['a name server', `dns.resolve('airgap.invalid')`],
  ['this machine', `net.connect(9, '127.0.0.1')`],
])('a program that contacts %s is detected', async (_whom, call) => {
  const program = `import dns from 'node:dns/promises'; import net from 'node:net';
    process.on('uncaughtException', () => {});
    Promise.resolve(${call}).catch(() => {}); setTimeout(() => process.exit(), 300);`;

  const sent = await runIsolated(['--input-type=module', '-e', program]);

  expect(sent.transmitted + sent.withoutRoute).toBeGreaterThan(0);
});

test('analyze with all its outputs sends nothing and works without a network', async () => {
  const folder = newFolder();
  const [picture, out] = [join(folder, 'scene.jpg'), join(folder, 'results')];
  writeFileSync(picture, await sceneJpeg({ width: 160, height: 136, seed: 11 }));
  const how = ['--tier', 'forensicReporting', '--out', out];

  const sent = await runIsolated([entry, 'analyze', picture, ...how]);

  expect(sent).toEqual({ transmitted: 0, withoutRoute: 0 });
  expect(existsSync(out)).toBe(true);
}, 60_000);
