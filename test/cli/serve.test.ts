import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isServed } from '../../src/ports/data-folder/serve-lock.ts';
import { listen } from '../fixtures/listen.ts';
import { newDataDir, spawnServe, startServing } from '../journeys/serving.ts';
import { emptyFolder, refused, refusedInOneLine, runCli, startCli } from './run-cli.ts';

const inShell = promisify(execFile);
// With a space, which the printed command must quote.
const dataDir = `${newDataDir()}/with space`;
let apiKey = '';

describe('the first run', () => {
  const output = { stdout: '', stderr: '' };
  let child: ReturnType<typeof spawnServe>;

  beforeAll(async () => {
    child = spawnServe(['--data-dir', dataDir, '--port', '0', '--workers', '1']);
    child.stdout.on('data', (bytes: Buffer) => (output.stdout += bytes.toString('utf8')));
    for await (const line of createInterface({ input: child.stderr })) {
      output.stderr += `${line}\n`;
      if (line.startsWith('Listening on https://127.0.0.1:')) break;
    }
    // A separate pipe, which may arrive later.
    await vi.waitFor(() => expect(output.stdout).toMatch(/^curl .*\n/m), 10_000);
    apiKey = /API key: +(\S+) /.exec(output.stdout)?.[1] ?? '';
  });

  afterAll(() => void child.kill('SIGKILL'));

  test('prints URL, certificate authority, tenant and key', () => {
    expect(output.stdout).toMatch(/URL: +https:\/\/127\.0\.0\.1:\d+\n/);
    expect(output.stdout).toContain(`${dataDir}/tls/ca.pem`);
    expect(output.stdout).toMatch(/SHA-256: +([0-9A-F]{2}:){31}[0-9A-F]{2}\n/);
    expect(output.stdout).toMatch(/Tenant: +default\n/);
    expect(apiKey).toMatch(/^sk-[a-z0-9]+-[0-9A-Za-z]{38}$/);
  });

  test('prints a curl command that works as it is', async () => {
    const line = /^curl .*$/m.exec(output.stdout)?.[0] ?? '';
    const answer: unknown = JSON.parse(await runCurl(line));

    expect(answer).toEqual({ success: true, data: [], total: 0, startIndex: 0, endIndex: 0 });
  });

  test('is checked by "forensics health", which fails when no server runs', async () => {
    const [, port = ''] = /URL: +https:\/\/127\.0\.0\.1:(\d+)/.exec(output.stdout) ?? [];
    const command = ['health', '--data-dir', dataDir];

    const ofThis = await runCli([...command, '--port', port]);
    const ofNone = await runCli(command, { env: { FORENSICS_PORT: '1' } });

    expect(ofThis).toMatchObject({ code: 0, stdout: 'The server is working.\n' });
    expect(ofNone.code).toBe(1);
    expect(ofNone.stdout).toMatch(/^The server is not working: No server is listening at /);
  });

  test('reports why it is unhealthy', async () => {
    const answer = { message: 'Not healthy: "storage".', success: false };
    const body = JSON.stringify(answer, null, 2);
    const broken = createHttpServer((_, response) => response.writeHead(503).end(body));
    const port = String(await listen(broken));
    const env = { FORENSICS_PORT: port, FORENSICS_BEHIND_PROXY: 'true' };

    const { code, stdout } = await runCli(['health', '--data-dir', dataDir], { env });

    expect([code, stdout]).toEqual([
      1,
      'The server is not working: Not healthy: "storage". "forensics doctor" says why.\n',
    ]);
  });

  test('locks its folder: a second server is refused', async () => {
    const second = await runCli(['serve', '--data-dir', dataDir, '--port', '0']);

    expect(second).toEqual(
      refusedInOneLine(5, 'Another server is already using this data folder (process'),
    );
  });

  test('shuts down cleanly when its terminal closes, and releases its lock', async () => {
    child.kill('SIGHUP');
    child.kill('SIGHUP');
    const { exitCode } = await child;

    expect(exitCode).toBe(0);
    expect(isServed(dataDir)).toBe(false);
  });
});

test('later runs print no key, keep the authority, and finish open requests on SIGINT', async () => {
  const authority = readFileSync(`${dataDir}/tls/ca.pem`, 'utf8');
  const serving = await startServing(dataDir);
  const { sent, answered } = await halfRequest(serving.ready);
  serving.child.kill('SIGINT');
  await waitForLine(serving.child, 'Stopping');
  sent.end('{}');
  const status = await answered;
  const { exitCode: code } = await serving.child;

  expect(serving.ready).toMatchObject({ apiKey: null, tenantName: null });
  expect(readFileSync(serving.ready.caPath, 'utf8')).toBe(authority);
  // An empty object is no analysis; what counts is that the answer came.
  expect(status).toBe(400);
  expect(code).toBe(0);
});

test('a second signal does not wait for open requests', async () => {
  const serving = await startServing(dataDir);
  const { sent, answered } = await halfRequest(serving.ready);
  answered.catch(() => undefined);
  serving.child.kill('SIGTERM');
  await waitForLine(serving.child, 'Stopping');
  serving.child.kill('SIGTERM');
  const { signal } = await serving.child;
  sent.destroy();

  expect(signal).toBe('SIGTERM');
});

test('a port in use is reported with a fix, and no tenant is created', async () => {
  const folder = await emptyFolder();
  const port = String(await listen(createServer()));
  const ran = await runCli(['serve', '--data-dir', folder, '--port', port]);
  const tenants = await runCli(['tenant', 'list', '--json', '--data-dir', folder]);

  expect(ran).toEqual(refused(5, `Port ${port} on 127.0.0.1 is in use`));
  expect(ran.stderr).toContain('--port');
  expect(JSON.parse(tenants.stdout)).toEqual([]);
});

const stall = 'exec sleep 60 > /dev/null 2>&1';

describe.skipIf(!existsSync('/dev/full'))('a lost log', () => {
  test.each([
    ['has lost its reader', 'exec "$@" 2> >(true)'],
    ['has a stalled reader', `exec 2> >(${stall}); exec "$@"`],
    [
      'has a stalled reader and a full pipe',
      `exec 2> >(${stall}); exec 3>&2; dd if=/dev/zero of=/dev/fd/3 oflag=nonblock bs=1 2> /dev/null; exec "$@" 3>&-`,
    ],
    ['lies on a full disk', 'exec "$@" 2> /dev/full'],
  ])('does not stop the server when it %s', async (_why, shell) => {
    const serving = await startServing(newDataDir(), { FORENSICS_LOG_LEVEL: 'trace' }, { shell });
    // More than the 64 kB that a pipe holds.
    const answers = await Promise.all(
      Array.from({ length: 400 }, () => serving.ask({ method: 'GET', path: '/v1/ping' })),
    );
    const health = await serving.ask({ method: 'GET', path: '/v1/health' });
    const code = await serving.end('SIGTERM');

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(health.json()).toMatchObject({ success: true, data: { log: 'degraded' } });
    expect(code).toBe(0);
  });

  test('does not stop a worker', async () => {
    const folder = await emptyFolder();
    const ended = await startCli(['worker', '--data-dir', folder], {
      shell: 'exec "$@" 2> /dev/full',
      onStart: async (kill) => {
        while (!existsSync(`${folder}/forensics.db`)) await setTimeout(20);
        kill('SIGTERM');
      },
    });

    expect(ended).toMatchObject({ code: 0, signal: null });
  });
});

test.each([
  ['--port 99999', '--port must be an integer from 0 to 65535.'],
  ['--tls-cert none.pem --tls-key none.pem', '--tls-cert must specify a readable PEM file'],
])('serve %s is refused in one line', async (args, message) => {
  const ran = await runCli(['serve', '--data-dir', await emptyFolder(), ...args.split(' ')]);

  expect(ran).toEqual(refusedInOneLine(2, message));
});

/** A request that the server has started to handle and whose body it awaits. */
async function halfRequest({ url, caPath }: { readonly url: string; readonly caPath: string }) {
  const headers = {
    authorization: `ApiKey ${apiKey}`,
    'content-type': 'application/json',
    'content-length': 2,
    expect: '100-continue',
  };
  const ca = readFileSync(caPath);
  const sent = request(`${url}/v1/analysis`, { method: 'POST', ca, headers });
  const answered = once(sent, 'response').then(([response]): number => response.statusCode);
  sent.flushHeaders();
  await once(sent, 'continue');
  return { sent, answered };
}

async function waitForLine(child: ReturnType<typeof spawnServe>, word: string): Promise<void> {
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.startsWith(word)) return;
  }
}

/** Runs the line with shell and curl if available, otherwise does what curl would do. */
async function runCurl(line: string): Promise<string> {
  const hasCurl = await inShell('curl', ['--version']).then(Boolean, () => false);
  if (hasCurl) return (await inShell('sh', ['-c', `${line} --silent`])).stdout;
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  const ca = readFileSync(words[words.indexOf('--cacert') + 1] ?? '');
  const [name = '', value = ''] = (words[words.indexOf('-H') + 1] ?? '').split(': ');
  const asked = request(words.at(-1) ?? '', { ca, headers: { [name]: value } }).end();
  const [response] = await once(asked, 'response');
  let text = '';
  for await (const part of response) text += String(part);
  return text;
}
