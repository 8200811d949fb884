/**
 * Callers of every kind: requests generated from the API's own document, every route with every
 * caller, and secrets that are searched for everywhere afterwards.
 */

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { runCli } from '../../test/cli/run-cli.ts';
import { sceneJpeg } from '../../test/fixtures/pictures.ts';
import { clientOf, newDataDir, startServing } from '../../test/journeys/serving.ts';
import { demand, type Proof } from './proof.ts';
import { holds } from './secret-search.ts';

/** What this machine's two cores can handle in a minute. */
const requestsAMinute = 2000;
/** A run shorter than this leaves these to their own tests, which run alongside it. */
const leastMinutes = 1;

export async function proveCallers(proof: Proof): Promise<void> {
  await proveCanaries(proof);
  if (proof.minutes < leastMinutes) return;
  const requests = Math.ceil(proof.minutes * requestsAMinute);
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const files = ['test/contract/interface.test.ts', 'test/walls'];
  const args = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--testTimeout', '600000'];
  const ran = await execa('npx', [...args, ...files], {
    cwd: root,
    env: { FORENSICS_TEST_REQUESTS: String(requests), FORENSICS_TEST_SEED: String(proof.seed) },
    reject: false,
    all: true,
  });
  demand(ran.exitCode === 0, ran.all);
  proof.note('requests made from the document', `${requests} or more`);
}

const size = { width: 96, height: 96 };

/** Each secret is used as intended, and must then exist only where it is stored. */
async function proveCanaries(proof: Proof): Promise<void> {
  const canary = (what: string) => `canary${what}${Math.floor(1e12 * proof.random())}`;
  const dataDir = newDataDir();
  const masterKey = Array.from({ length: 64 }, () =>
    Math.floor(16 * proof.random()).toString(16),
  ).join('');
  const env = { FORENSICS_MASTER_KEY: masterKey, FORENSICS_LOG_LEVEL: 'trace' };
  const serving = await startServing(dataDir, env);
  let log = '';
  serving.child.stderr.on('data', (bytes: Buffer) => (log += bytes.toString('utf8')));
  const apiKey = serving.ready.apiKey ?? '';
  const client = clientOf(serving, 'default', apiKey);
  const secrets: Record<string, string> = {
    'the API key': apiKey,
    'the master key': masterKey,
    'a password': `${canary('pass')} walnut harbour`,
    'a storage secret': canary('storage'),
    'a wrong key': `sk-default-${canary('key')}`,
  };
  // Not a secret: it is in every one of the places, and shows that the search finds what is there.
  const marker = canary('name');
  const email = 'anna@example.org';
  const login = async (password: string) =>
    serving.ask({ method: 'POST', path: '/v1/auth/login', body: { email, password } });
  const run = async (args: readonly string[]) => runCli([...args, '--data-dir', dataDir], { env });

  const passwordFile = `${dataDir}-password`;
  writeFileSync(passwordFile, secrets['a password'] ?? '', { mode: 0o600 });
  const user = ['user', 'create', email, '--tenant', 'default', '--password-file', passwordFile];
  const added = await run(user);
  demand(added.code === 0, added.stderr);
  const tokens = await login(secrets['a password'] ?? '');
  demand(tokens.status === 200, `A login was answered ${tokens.body.toString()}`);
  for (const [name, value] of Object.entries(tokens.json())) {
    for (const [inner, token] of Object.entries(Object(value))) {
      if (/^(?:access|id|refresh)Token$/.test(inner))
        secrets[`${name}.${inner}`] = String(token).split('.').at(-1) ?? '';
    }
  }
  await login(secrets['a storage secret'] ?? '');
  await serving.ask({
    method: 'GET',
    path: '/v1/analysis?tenantName=default',
    headers: { authorization: `ApiKey ${secrets['a wrong key']}` },
  });
  const made = await client.create({
    format: 'jpg',
    ...size,
    filename: `${marker}.jpg`,
    options: { tier: 'forensicReporting' },
  });
  await client.upload(made, await sceneJpeg({ ...size, seed: 1 }));
  await client.send('POST', '/start', { id: made.id });
  const done = await client.until(made.id, ['completed', 'failed']);
  demand(done.inferenceStatus.status === 'completed', done.inferenceStatus.statusMessage);
  const { searchParams } = new URL(made.input.storageUrls.putUrl);
  secrets['the signature of a URL'] = searchParams.get('signature') ?? '';
  const webhookSecret = await run(['tenant', 'webhook-secret', 'default']);
  secrets['the webhook secret'] = webhookSecret.stdout.trim().replace(/^whsec_/, '');
  const backup = `${dataDir}-backup.tar`;
  const backedUp = await run(['backup', 'create', '--without-keys', '--out', backup]);
  demand(backedUp.code === 0, backedUp.stderr);
  const bundle = `${dataDir}-evidence.zip`;
  const written = await run(['report', made.id, '--tenant', 'default', '--out', bundle]);
  demand(written.code === 0, written.stderr);
  const liveFiles = filesIn(dataDir);
  await serving.end('SIGTERM');

  const places = [...liveFiles, ...filesIn(dataDir), bundle, backup];
  const pdfs = filesIn(dataDir).filter((file) => readFileSync(file).indexOf('%PDF-') === 0);
  demand(pdfs.length > 0, 'There is no report.');
  for (const file of [join(dataDir, 'forensics.db'), ...pdfs, bundle, backup]) {
    demand(isIn(file, marker), `The name of the picture was not found in ${file}.`);
  }
  for (const [what, secret] of Object.entries(secrets)) {
    demand(secret.length >= 12, `${what} was not made: ${secret}`);
    demand(!log.includes(secret), `${what} is in the log.`);
    for (const file of places) demand(!isIn(file, secret), `${what} is in ${file}.`);
  }
  proof.note('secrets looked for', Object.keys(secrets).length);
  proof.note('files searched', new Set(places).size);
  proof.note('bytes of log searched', log.length);
  for (const one of [dataDir, backup, bundle, passwordFile])
    rmSync(one, { recursive: true, force: true });
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
    );
  } catch {
    return [];
  }
}

function isIn(file: string, text: string): boolean {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    // For example the database log, which is gone once the server has stopped.
    return false;
  }
  return holds(bytes, text);
}
