import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { newDataDir, spawnServe, startServing } from '../journeys/serving.ts';
import { emptyFolder, runCli, startCli } from './run-cli.ts';

const inShell = promisify(execFile);
// A space in the path: the printed line must survive it.
const dataDir = `${newDataDir()}/with space`;
let apiKey = '';

afterAll(() => rmSync(`${dataDir}/..`, { recursive: true, force: true }));

describe('the first run', () => {
  const said = { stdout: '', stderr: '' };
  let child: ReturnType<typeof spawnServe>;

  beforeAll(async () => {
    child = spawnServe(['--data-dir', dataDir, '--port', '0', '--workers', '1']);
    child.stdout.on('data', (bytes: Buffer) => (said.stdout += bytes.toString('utf8')));
    for await (const line of createInterface({ input: child.stderr })) {
      said.stderr += `${line}\n`;
      if (line.startsWith('Listening on https://127.0.0.1:')) break;
    }
    // Another pipe, which may be read later.
    await vi.waitFor(() => expect(said.stdout).toMatch(/^curl .*\n/m), 10_000);
    apiKey = /API key: +(\S+) /.exec(said.stdout)?.[1] ?? '';
  });

  afterAll(() => void child.kill('SIGKILL'));

  test('prints address, authority, tenant and key', () => {
    expect(said.stdout).toMatch(/URL: +https:\/\/127\.0\.0\.1:\d+\n/);
    expect(said.stdout).toContain(`${dataDir}/tls/ca.pem`);
    expect(said.stdout).toMatch(/SHA-256: +([0-9A-F]{2}:){31}[0-9A-F]{2}\n/);
    expect(said.stdout).toMatch(/Tenant: +default\n/);
    expect(apiKey).toMatch(/^sk-[a-z0-9]+-[0-9A-Za-z]{38}$/);
  });

  test('prints a curl line that works as it is', async () => {
    const line = /^curl .*$/m.exec(said.stdout)?.[0] ?? '';
    const answer: unknown = JSON.parse(await runCurl(line));

    expect(answer).toEqual({ success: true, data: [], total: 0, startIndex: 0, endIndex: 0 });
  });

  test('is asked whether it works by "forensics health", which tells where none does', async () => {
    const [, port = ''] = /URL: +https:\/\/127\.0\.0\.1:(\d+)/.exec(said.stdout) ?? [];
    const command = ['health', '--data-dir', dataDir];

    const ofThis = await runCli(command, { env: { FORENSICS_PORT: port } });
    const ofNone = await runCli(command, { env: { FORENSICS_PORT: '1' } });

    expect(ofThis).toMatchObject({ code: 0, stdout: 'The server works.\n' });
    expect(ofNone.code).toBe(1);
    expect(ofNone.stdout).toMatch(/^The server is not working: No server is listening at /);
  });

  test('that does not work is told in words', async () => {
    const body = JSON.stringify({ success: false, message: 'Not healthy: storage.' });
    const broken = createHttpServer((_, answer) => answer.writeHead(503).end(body));
    onTestFinished(() => void broken.close());
    await once(broken.listen(0, '127.0.0.1'), 'listening');
    const address = broken.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const env = { FORENSICS_PORT: port, FORENSICS_BEHIND_PROXY: 'true' };

    const { code, stdout } = await runCli(['health', '--data-dir', dataDir], { env });

    expect([code, stdout]).toEqual([
      1,
      'The server is not working: Not healthy: storage. "forensics doctor" says why.\n',
    ]);
  });

  test('is one of a kind: a second server on the same folder is refused', async () => {
    const second = await runCli(['serve', '--data-dir', dataDir, '--port', '0']);

    expect(second.code).toBe(5);
    expect(second.stderr).toContain(`Another server is already using this data folder (process`);
    expect(second.stderr.trim().split('\n')).toHaveLength(1);
  });

  test('ends cleanly on SIGTERM and leaves no lock', async () => {
    child.kill('SIGTERM');
    const { exitCode } = await child;

    expect(exitCode).toBe(0);
    expect(existsSync(`${dataDir}/serve.lock`)).toBe(false);
  });
});

test('later runs print no key, keep the authority, and on SIGINT finish what is under way', async () => {
  const authority = readFileSync(`${dataDir}/tls/ca.pem`, 'utf8');
  const serving = await startServing(dataDir);
  const { sent, answered } = await halfRequest(serving.ready);
  serving.child.kill('SIGINT');
  await told(serving.child, 'Stopping');
  sent.end('{}');
  const status = await answered;
  const { exitCode: code } = await serving.child;

  expect(serving.ready).toMatchObject({ apiKey: null, tenantName: null });
  expect(readFileSync(serving.ready.caPath, 'utf8')).toBe(authority);
  // An empty object is no analysis; what counts is that the answer came.
  expect(status).toBe(400);
  expect(code).toBe(0);
});

test('a second signal does not wait for what is under way', async () => {
  const serving = await startServing(dataDir);
  const { sent, answered } = await halfRequest(serving.ready);
  answered.catch(() => undefined);
  serving.child.kill('SIGTERM');
  await told(serving.child, 'Stopping');
  serving.child.kill('SIGTERM');
  const { signal } = await serving.child;
  sent.destroy();

  expect(signal).toBe('SIGTERM');
});

test('a port in use is told with what to do, and costs no key', async () => {
  const folder = await emptyFolder();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const port = String(typeof address === 'object' ? address?.port : 0);
  const ran = await runCli(['serve', '--data-dir', folder, '--port', port]);
  taken.close();
  const tenants = await runCli(['tenant', 'list', '--json', '--data-dir', folder]);

  expect(ran).toMatchObject({ code: 5, stdout: '' });
  expect(ran.stderr).toContain(`Port ${port} on 127.0.0.1 is in use`);
  expect(ran.stderr).toContain('--port');
  expect(JSON.parse(tenants.stdout)).toEqual([]);
});

const standStill = 'exec sleep 60 > /dev/null 2>&1';

describe.skipIf(!existsSync('/dev/full'))('a log that is lost', () => {
  test.each([
    ['has no reader any more', 'exec "$@" 2> >(true)'],
    ['has a reader that stands still', `exec 2> >(${standStill}); exec "$@"`],
    [
      'has a reader that stands still, and is full',
      `exec 2> >(${standStill}); exec 3>&2; dd if=/dev/zero of=/dev/fd/3 oflag=nonblock bs=1 2> /dev/null; exec "$@" 3>&-`,
    ],
    ['lies on a full disk', 'exec "$@" 2> /dev/full'],
  ])('does not end the server when it %s', async (_why, shell) => {
    const serving = await startServing(newDataDir(), { FORENSICS_LOG_LEVEL: 'trace' }, { shell });
    // More than a pipe holds: 64 kB.
    const answers = await Promise.all(
      Array.from({ length: 400 }, () => serving.ask({ method: 'GET', path: '/v1/ping' })),
    );
    const health = await serving.ask({ method: 'GET', path: '/v1/health' });
    const code = await serving.end('SIGTERM');

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(health.json()).toMatchObject({ success: true, data: { log: 'degraded' } });
    expect(code).toBe(0);
  });

  test('does not end a worker', async () => {
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
  [['--port', '99999'], '--port must be an integer from 0 to 65535.'],
  [['--tls-cert', 'none.pem', '--tls-key', 'none.pem'], '--tls-cert must name a readable PEM file'],
])('serve %j is refused in one line', async (args, message) => {
  const ran = await runCli(['serve', '--data-dir', await emptyFolder(), ...args]);

  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(message);
  expect(ran.stderr.trim().split('\n')).toHaveLength(1);
});

/** A request that the server has begun with and whose body it waits for. */
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

async function told(child: ReturnType<typeof spawnServe>, word: string): Promise<void> {
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.startsWith(word)) return;
  }
}

/** With a shell and curl where there is one; otherwise what curl would do with the line. */
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
