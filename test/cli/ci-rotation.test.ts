/** The manual's pipeline jobs that rotate a key: parsed as YAML, their scripts run against a server. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { listen } from '../fixtures/listen.ts';
import { blockNamed, readManual } from '../../bin/manual/manual.ts';
import { openListening } from '../unit/server/open-server.ts';
import { caOf, urlOf } from './on-server.ts';
import { emptyFolder, entry, runHere } from './run-cli.ts';

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly on: { readonly schedule: readonly { readonly cron: string }[] };
  readonly jobs: { readonly rotate: { readonly steps: readonly Step[] } };
}

type Pipeline = Readonly<Record<string, { readonly script: readonly string[] }>>;

const token = 'token-of-the-pipeline';
const open = await openListening();
afterAll(async () => open.close());

async function makeKey(name: string): Promise<string> {
  const where = ['--tenant', 'acme', '--data-dir', open.dataDir];
  return (await runHere(['keys', 'create', '--name', name, ...where])).stdout.trim();
}

const statusWith = async (secret: string): Promise<number> => {
  const headers = { authorization: `ApiKey ${secret}` };
  return (await open.ask({ method: 'GET', path: '/v1/auth/api?tenantName=acme', headers })).status;
};

/** Puts a program on the script's PATH. */
function install(folder: string, name: string, script: string): void {
  const file = join(folder, 'bin', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

async function run(folder: string, script: string, env: Readonly<Record<string, string>>) {
  install(folder, 'forensics', `exec "${process.execPath}" "${entry}" "$@"`);
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const { PATH = '' } = process.env;
  const child = spawn('bash', ['-e', '-c', script], {
    cwd: folder,
    env: { HOME: folder, TMPDIR: temporary, PATH: `${join(folder, 'bin')}:${PATH}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, 'close');
  return { code: Number(code), output: (await output).join(''), left: readdirSync(temporary) };
}

const workflow = (): Workflow => parse(blockNamed(readManual(), 'rotate-github').text);
const rotation = (): Step =>
  workflow().jobs.rotate.steps.find(({ run: script }) => script?.includes('keys rotate')) ?? {};
const envOf = (key: string) => ({
  FORENSICS_URL: urlOf(open),
  FORENSICS_CA: readFileSync(caOf(open), 'utf8'),
  FORENSICS_API_KEY: key,
  GH_TOKEN: token,
  GH_REPO: 'acme/pictures',
});
/** Stores the secret as the real one does, or fails. */
const installGh = (folder: string, code: number) =>
  install(folder, 'gh', `[ "$*" = 'secret set FORENSICS_API_KEY' ] && cat > stored; exit ${code}`);

describe('the workflow for GitHub Actions', () => {
  test('runs weekly, and passes its script only the documented variables', () => {
    const { env = {}, run: script = '' } = rotation();

    expect(workflow().on.schedule).toEqual([{ cron: '17 3 * * 1' }]);
    expect(Object.keys(env).toSorted()).toEqual(Object.keys(envOf('')).toSorted());
    expect(script).not.toContain('${{');
  });

  test('stores a new working key, prints no key and leaves no files', async () => {
    const folder = await emptyFolder();
    const old = await makeKey('ci');
    installGh(folder, 0);

    const ran = await run(folder, rotation().run ?? '', envOf(old));

    const secret = readFileSync(join(folder, 'stored'), 'utf8').trim();
    expect(ran).toEqual({ code: 0, output: expect.any(String), left: [] });
    expect([await statusWith(secret), await statusWith(old)]).toEqual([200, 200]);
    for (const hidden of [secret, old, token]) expect(ran.output).not.toContain(hidden);
  });

  test('fails when it cannot store the key; the old key keeps working and the next run succeeds', async () => {
    const folder = await emptyFolder();
    const old = await makeKey('again');
    const script = (rotation().run ?? '').replace('--name ci', '--name again');
    installGh(folder, 1);

    const failed = await run(folder, script, envOf(old));
    installGh(folder, 0);
    const repeated = await run(folder, script, envOf(old));

    expect([failed.code, failed.left, repeated.code]).toEqual([1, [], 0]);
    const secret = readFileSync(join(folder, 'stored'), 'utf8').trim();
    expect([await statusWith(old), await statusWith(secret)]).toEqual([200, 200]);
  });
});

test('the job for GitLab stores a new working key without a line break, and prints no key', async () => {
  const requests: { readonly line: string; readonly sent: unknown; readonly body: string }[] = [];
  const gitlab = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const [line, sent] = [`${method} ${url}`, headers['private-token']];
    void text(request).then((body) => {
      requests.push({ line, sent, body });
      response.end('{}');
    });
  });
  const folder = await emptyFolder();
  const old = await makeKey('gitlab');
  const pipeline: Pipeline = parse(blockNamed(readManual(), 'rotate-gitlab').text);
  const script = Object.values(pipeline)[0]!.script.join('\n');

  const ran = await run(folder, script.replace('--name ci', '--name gitlab'), {
    FORENSICS_URL: urlOf(open),
    FORENSICS_CA: caOf(open),
    FORENSICS_API_KEY: old,
    ROTATION_TOKEN: token,
    CI_API_V4_URL: `http://127.0.0.1:${await listen(gitlab)}/api/v4`,
    CI_PROJECT_ID: '17',
  });

  expect(ran).toEqual({ code: 0, output: expect.any(String), left: [] });
  const { line, sent, body } = requests[0]!;
  expect(line).toBe('PUT /api/v4/projects/17/variables/FORENSICS_API_KEY');
  expect(sent).toBe(token);
  const secret = /name="value"\r\n(?:[^\r\n]+\r\n)*\r\n(sk-[\w-]+)\r\n--/.exec(body)?.[1] ?? '';
  expect([await statusWith(secret), await statusWith(old)]).toEqual([200, 200]);
  for (const hidden of [secret, old, token]) expect(ran.output).not.toContain(hidden);
  expect(existsSync(join(folder, 'key'))).toBe(false);
});
