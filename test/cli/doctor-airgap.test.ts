import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  isOfThisMachine,
  logVariable,
  readAttempts,
} from '../../src/cli/doctor/airgap/attempts.ts';
import { judgeProof, judgeSettings } from '../../src/cli/doctor/airgap/prove.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Diagnosis } from '../../src/doctor/diagnosis.ts';
import { runInTerminal } from './in-terminal.ts';
import { runCli } from './run-cli.ts';

const guard = new URL('../../src/cli/doctor/airgap/guard.ts', import.meta.url).href;
const run = promisify(execFile);

/** Runs a script under the guard; answers what it printed, and what it tried beside being watched. */
async function underGuard(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-airgap-'));
  const [log, file] = [join(folder, 'log'), join(folder, 'script.mjs')];
  writeFileSync(log, '');
  writeFileSync(file, script);
  const env = { PATH: process.env['PATH'] ?? '', [logVariable]: log };
  const { stdout } = await run(process.execPath, ['--import', guard, file], { env });
  const attempts = readAttempts(log);
  return {
    stdout,
    watched: attempts.filter(({ act }) => act === 'watched').length,
    tried: attempts.filter(({ act }) => act !== 'watched'),
  };
}

test('doctor --airgap proves it for this checkout, and says by what', async () => {
  const { code, stdout, stderr } = await runCli(['doctor', '--airgap', '--json']);
  const { checks }: { checks: Diagnosis[] } = JSON.parse(stdout);

  expect(checks.map(({ name, state }) => [name, state])).toEqual([
    ['airgap control', 'ok'],
    ['airgap', 'ok'],
    ['airgap settings', 'ok'],
  ]);
  expect(checks[0]!.message).toContain('caught 14 of 14 connections');
  expect(checks[1]!.message).toMatch(/[678] processes were watched/);
  expect(stderr).toContain('Starting a server, analysing a picture, writing its report ...');
  expect(code).toBe(0);
}, 60_000);

test('Ctrl-C ends the proof and leaves neither a server nor a folder', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'forensics-airgap-test-'));
  let isAsked = false;

  const { code, text } = await runInTerminal(['doctor', '--airgap'], {
    env: { TMPDIR: temporary },
    onScreen: (shown, type) => {
      if (isAsked || !shown.includes('Starting a server')) return;
      isAsked = true;
      type('\u0003');
    },
  });

  expect(code).toBe(1);
  expect(text).toContain('forensics: Cancelled.');
  expect(readdirSync(temporary)).toEqual([]);
}, 60_000);

describe('the guard', () => {
  test('catches a connection, also in a child, and makes it fail', async () => {
    const { stdout, watched, tried } = await underGuard(`
      import { connect } from 'node:net';
      import { fork } from 'node:child_process';
      connect(443, '192.0.2.1').on('error', (error) => {
        console.log(error.code);
        if (process.argv[2] === undefined) fork(import.meta.filename, ['child'], { env: {}, execArgv: [] });
      });
    `);

    expect(stdout).toBe('EACCES\nEACCES\n');
    expect(watched).toBe(2);
    const once = { act: 'connect', target: '192.0.2.1:443' };
    expect(tried).toEqual([once, once]);
  });

  test('lets pass what stays on this machine', async () => {
    const { stdout, tried } = await underGuard(`
      import { createServer, get } from 'node:http';
      import { lookup } from 'node:dns/promises';
      const server = createServer((_, response) => response.end('here')).listen(0, '127.0.0.1', async () => {
        await lookup('localhost');
        const answer = await fetch('http://127.0.0.1:' + server.address().port);
        console.log(await answer.text());
        server.close();
        server.closeAllConnections();
      });
    `);

    expect(stdout).toBe('here\n');
    expect(tried).toEqual([]);
  });

  test('tells of other programs, which it cannot watch', async () => {
    const { tried } = await underGuard(`
      import { execFileSync, spawn } from 'node:child_process';
      execFileSync('true');
      spawn('true');
    `);

    expect(tried).toEqual([
      { act: 'start a program', target: 'true' },
      { act: 'start a program', target: 'true' },
    ]);
  });

  test.each([
    ['127.0.0.1', true],
    ['127.8.9.10', true],
    ['[::1]', true],
    ['localhost', true],
    ['a.localhost', true],
    ['::ffff:127.0.0.1', true],
    ['localhost.example', false],
    ['127.0.0.1.example', false],
    ['10.0.0.1', false],
    ['0.0.0.0', false],
  ])('%s is of this machine: %s', (host, expected) => {
    expect(isOfThisMachine(host)).toBe(expected);
  });
});

describe('the proof', () => {
  const told = { done: ['start', 'analysis', 'report'], failure: null, noRoutes: 0 } as const;
  const attempts = [{ act: 'watched', target: 'serve' }] as const;
  const proof = { told, attempts, isIsolated: true };

  test('holds when all was done and nothing was tried', () => {
    expect(judgeProof(proof)).toMatchObject({ state: 'ok', message: /1 processes were watched/ });
    expect(judgeProof({ ...proof, isIsolated: false }).message).toContain('no network namespace');
  });

  test.each([
    [
      'a connection',
      { attempts: [...attempts, { act: 'connect', target: 'a:1' }] as const },
      'connect a:1',
    ],
    ['a packet of native code', { told: { ...told, noRoutes: 2 } }, 'counted 2 packets'],
    [
      'a step that did not succeed',
      { told: { ...told, done: ['start'], failure: 'No.' } as const },
      'The analysis did not succeed, so nothing is proven: No.',
    ],
  ])('fails on %s', (_what, change, message) => {
    expect(judgeProof({ ...proof, ...change })).toMatchObject({
      state: 'failed',
      message: expect.stringContaining(message),
    });
  });

  test('names the settings that call others', () => {
    const flags = { oidcIssuer: 'https://id.example', oidcClientId: 'forensics' };
    const { settings } = readConfig({ flags, environment: { XDG_CONFIG_HOME: tmpdir() } });

    expect(judgeSettings(settings)).toMatchObject({ state: 'warning', message: /: oidcIssuer\.$/ });
  });
});
