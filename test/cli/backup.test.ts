import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { lockForServing } from '../../src/ports/data-folder/serve-lock.ts';
import { currentSchema } from '../../src/ports/db/migrations.ts';
import { runInTerminal } from './in-terminal.ts';
import { emptyFolder, refused, runHere } from './run-cli.ts';

/** A data folder with one tenant, and commands that use it. */
async function acme() {
  const folder = await emptyFolder();
  const dataDir = join(folder, 'data');
  const run = async (...args: string[]) => runHere([...args, '--data-dir', dataDir]);
  await run('tenant', 'create', 'acme');
  return { folder, dataDir, run, out: join(folder, 'backup.tar') };
}

const verify = async (file: string, ...args: string[]) =>
  runHere(['backup', 'verify', file, ...args]);

test('create, verify and restore report on stdout, and messages go to stderr', async () => {
  const { folder, dataDir, run, out } = await acme();
  const other = join(folder, 'other');

  const created = await run('backup', 'create', '--out', out);
  const verified = await verify(out);
  const restored = await runHere(['restore', out, '--data-dir', other]);
  const listed = await runHere(['tenant', 'list', '--data-dir', other, '--json']);

  const logged = await run('audit', 'list', '--service', '--json');
  expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining(`${out}: WRITTEN`) });
  expect(created.stderr).toContain(`Acting on the data folder ${dataDir}`);
  expect(created.stderr).toContain('anyone who has it can read every secret');
  expect(verified).toMatchObject({ code: 0, stderr: '' });
  expect(verified.stdout).toMatch(/: INTACT\n.*\n {2}Holds +1 tenant, 0 analyses\n/);
  expect(restored).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${other}: RESTORED`),
    stderr: expect.stringContaining(`forensics serve --data-dir ${other}`),
  });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'acme' }]);
  const sha256 = /SHA-256 +(\S+)/.exec(created.stdout)?.[1];
  expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(verified.stdout).toContain(sha256);
  const details = { manifestSha256: sha256, holdsKeys: true };
  const entry = expect.objectContaining({ event: 'backup.created', details });
  expect(JSON.parse(logged.stdout)).toContainEqual(entry);
});

test('a folder given as --out gets a file named after the time', async () => {
  const { folder, run } = await acme();
  mkdirSync(join(folder, 'backups'));

  const created = await run('backup', 'create', '--out', join(folder, 'backups'), '--json');

  const { file, sizeBytes, manifest } = JSON.parse(created.stdout);
  expect(file).toMatch(/\/backups\/forensics-backup-\d{8}T\d{6}Z\.tar$/);
  expect(statSync(file)).toMatchObject({ size: sizeBytes });
  const schema = currentSchema('sqlite');
  expect(manifest).toMatchObject({ format: 1, schema, rows: { tenants: 1 } });
});

test('no secret from the data folder or the settings is printed or stored in the manifest', async () => {
  const { dataDir, run, out } = await acme();
  vi.stubEnv('FORENSICS_FEEDBACK_WEBHOOK_URL', 'https://hook.example/secret-in-the-path');
  vi.stubEnv('FORENSICS_PUBLIC_URL', 'https://forensics.example');

  const created = await run('backup', 'create', '--out', out, '--json');
  vi.unstubAllEnvs();
  const restored = await runHere(['restore', out, '--data-dir', `${dataDir}2`]);

  const { settings } = JSON.parse(created.stdout).manifest;
  expect(settings).toEqual({ feedbackWebhookUrl: '***', publicUrl: 'https://forensics.example' });
  const key = readFileSync(join(dataDir, 'master.key'), 'utf8').trim();
  expect(created.stdout + created.stderr).not.toContain(key);
  expect(restored.stderr).toContain('publicUrl "https://forensics.example"');
});

test('damage gives exit code 7 and names the file, also in JSON', async () => {
  const { folder, run, out } = await acme();
  await run('backup', 'create', '--out', out);
  const bytes = readFileSync(out);
  bytes[bytes.indexOf('master.key') + 520]! ^= 1;
  writeFileSync(out, bytes);

  const [text, json] = [await verify(out), await verify(out, '--json')];
  const restored = await runHere(['restore', out, '--data-dir', join(folder, 'other')]);

  expect(text).toMatchObject({ code: 7, stdout: expect.stringContaining(': DAMAGED') });
  expect(text.stderr).toMatch(
    /^forensics: The backup has changed since it was written: .*master\.key.*\n$/,
  );
  expect(json.code).toBe(7);
  const problems = ['master.key has changed since it was saved.'];
  expect(JSON.parse(json.stdout)).toMatchObject({ whole: false, problems });
  expect(restored).toMatchObject({ code: 7, stdout: '' });
  expect((await run('tenant', 'show', 'acme')).code).toBe(0);
});

test('restore is refused while a server uses the folder', async () => {
  const { dataDir, run, out } = await acme();
  await run('backup', 'create', '--out', out);
  const unlock = lockForServing(dataDir);

  const ran = await run('restore', out);
  unlock();

  expect(ran).toMatchObject({ code: 5, stderr: expect.stringContaining('stop it') });
  expect((await run('tenant', 'show', 'acme')).code).toBe(0);
});

test('a backup made with a master key from the environment needs the same key to restore', async () => {
  const { folder, out } = await acme();
  const [data, other] = [join(folder, 'data2'), join(folder, 'other')];
  vi.stubEnv('FORENSICS_MASTER_KEY', '0a'.repeat(32));
  await runHere(['tenant', 'create', 'acme', '--data-dir', data]);
  await runHere(['backup', 'create', '--out', out, '--data-dir', data]);

  const right = await runHere(['restore', out, '--data-dir', `${other}1`]);
  vi.stubEnv('FORENSICS_MASTER_KEY', '0b'.repeat(32));
  const wrong = await runHere(['restore', out, '--data-dir', `${other}2`]);
  vi.stubEnv('FORENSICS_MASTER_KEY', '');
  const none = await runHere(['restore', out, '--data-dir', `${other}3`]);
  vi.unstubAllEnvs();

  expect(right.code).toBe(0);
  expect(right.stderr).toContain('Keep FORENSICS_MASTER_KEY set');
  expect(wrong).toEqual(refused(2, 'not the master key'));
  expect(none).toEqual(refused(2, 'set FORENSICS_MASTER_KEY'));
  expect(readdirSync(folder).filter((name) => name.startsWith('other'))).toEqual(['other1']);
});

test('on a terminal, progress is shown and the summary remains', async () => {
  const { dataDir, out } = await acme();

  const shown = await runInTerminal(['backup', 'create', '--out', out, '--data-dir', dataDir]);

  expect(shown.code).toBe(0);
  expect(shown.raw).toContain('Copying the data folder');
  expect(shown.text).toContain(': WRITTEN');
});

test('verify test-restores the backup and re-examines a picture if there is one', {
  timeout: 120_000,
}, async () => {
  const temporary = await emptyFolder();
  const old = join(temporary, 'old.tar');
  const release = new URL('../fixtures/old/0.9.0.tar.br', import.meta.url);
  writeFileSync(old, brotliDecompressSync(readFileSync(release)));
  const { run, out } = await acme();
  await run('backup', 'create', '--out', out);
  const scratch = await emptyFolder();
  vi.stubEnv('TMPDIR', scratch);

  const asJson = await verify(old, '--json');
  const [asText, empty] = [await verify(old), await verify(out)];
  vi.unstubAllEnvs();

  const { rehearsal } = JSON.parse(asJson.stdout);
  expect(rehearsal).toEqual({
    analysisId: expect.stringMatching(/^[0-9a-f]{24}$/),
    verdict: expect.stringMatching(/^(?:real|fake|uncertain|abstain)$/),
  });
  expect(asText.stdout.replaceAll(/\s+/g, ' ')).toContain(
    `Tested restored and opened; examining the picture of analysis ${rehearsal.analysisId} gave: ${rehearsal.verdict}`,
  );
  expect(empty.stdout).toMatch(/Tested +restored and opened; it contains no examined picture/);
  expect(readdirSync(scratch)).toEqual([]);
});
