import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { emptyFolder } from './run-cli.ts';
import { runHere } from './run-here.ts';

async function acme() {
  const dataDir = await emptyFolder();
  const run = async (...args: string[]) => runHere([...args, '--data-dir', dataDir]);
  await run('tenant', 'create', 'acme');
  await run('keys', 'create', '--tenant', 'acme', '--name', 'ci');
  await run('hold', 'add', '--tenant', 'acme');
  const exported = await run('audit', 'export', '--tenant', 'acme');
  const lines = exported.stdout.trimEnd().split('\n');
  const tamper = (sql: string) => {
    const client = new Database(join(dataDir, 'forensics.db'));
    client.exec(`DROP TRIGGER audit_entries_unchanged; DROP TRIGGER audit_entries_kept; ${sql}`);
    client.close();
  };
  return { dataDir, run, lines, tamper, hashes: lines.map(hashOf) };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

test("list shows a tenant's log, and export prints its hash chain", async () => {
  const { run, lines, hashes } = await acme();

  const listed = await run('audit', 'list', '--tenant', 'acme');
  const json = await run('audit', 'list', '--tenant', 'acme', '--json');
  const later = await run('audit', 'list', '--tenant', 'acme', '--since', '2999-01-01');
  const other = await run('audit', 'list', '--tenant', 'acme', '--analysis', 'f'.repeat(24));

  const entries = lines.map((line): { previous: string; event: string } => JSON.parse(line));
  expect(entries.map(({ previous }) => previous)).toEqual(['0'.repeat(64), ...hashes.slice(0, 2)]);
  expect(JSON.parse(json.stdout)).toEqual(
    entries.map((entry, index) => ({ ...entry, hash: hashes[index] })),
  );
  expect(listed.stdout).toMatch(
    /^1 +\S+Z +operator +tenant\.created +[0-9a-f]{24} +isTrial=false$/m,
  );
  expect(listed.stdout).toMatch(/^2 +\S+Z +operator +key\.created +[0-9a-f-]{36} +expiresAt=/m);
  expect([later, other]).toMatchObject([
    { code: 0, stdout: '', stderr: expect.stringContaining('There are no entries.') },
    { code: 0, stdout: '' },
  ]);
});

test('an untouched log verifies, locally, from a file and against a recorded hash', async () => {
  const { run, lines, hashes, dataDir } = await acme();
  const [, second = '', last = ''] = hashes;
  const file = join(dataDir, 'acme.jsonl');
  await writeFile(file, `${lines.join('\n')}\n`);

  const all = await run('audit', 'verify');
  const noted = await run('audit', 'verify', '--tenant', 'acme', '--head', second.toUpperCase());
  const ofFile = await runHere(['audit', 'verify', '--file', file, '--head', last, '--json']);
  const heads = await run('audit', 'head');

  expect(all.code).toBe(0);
  expect(all.stdout).toContain('service: 1 entry is intact.');
  expect(all.stdout).toContain(`acme: 3 entries are intact. The last has the hash ${last}.`);
  expect(all.stderr).toContain('--head');
  expect(noted.stdout).toContain('The stored hash belongs to entry 2');
  expect(JSON.parse(ofFile.stdout)).toMatchObject([{ count: 3, broken: null, notedSeq: 3 }]);
  expect(heads.stdout).toMatch(new RegExp(`^acme +3 +${last}$`, 'm'));
});

test('a broken log is reported with its first bad entry, with exit code 7', async () => {
  const { run, tamper, hashes } = await acme();
  tamper(`UPDATE audit_entries SET entry = replace(entry, 'created', 'revoked') WHERE seq = 2`);

  const ran = await run('audit', 'verify');
  const json = await run('audit', 'verify', '--tenant', 'acme', '--json');
  const head = await run('audit', 'verify', '--tenant', 'acme', '--head', hashes[2]!);

  expect([ran, json, head].map(({ code }) => code)).toEqual([7, 7, 7]);
  expect(ran.stdout).toContain('acme: BROKEN. Entry 2 was changed');
  expect(ran.stdout).toContain('Before it, 1 entry is intact.');
  expect(ran.stderr).toContain('The audit log of acme is broken at entry 2');
  expect(JSON.parse(json.stdout)).toMatchObject([
    { name: 'acme', count: 1, head: null, broken: { seq: 2, fault: 'changed' } },
  ]);
});

test('a truncated file is detected by the recorded hash', async () => {
  const { lines, hashes, dataDir } = await acme();
  const file = join(dataDir, 'acme.jsonl');
  await writeFile(file, `${lines.slice(0, 2).join('\n')}\n`);

  const { code, stdout } = await runHere(['audit', 'verify', '--file', file, '--head', hashes[2]!]);

  expect(code).toBe(7);
  expect(stdout).toContain('No entry has the hash you recorded');
});

test.each([
  [['list'], 2, '--tenant <name> or --service'],
  [['list', '--tenant', 'acme', '--service'], 2, '--tenant <name> or --service'],
  [['list', '--tenant', 'acme', '--since', 'yesterday'], 2, 'a date such as'],
  [['verify', '--head', '0'.repeat(64)], 2, 'belongs to one log'],
  [['verify', '--tenant', 'acme', '--head', 'abc'], 2, '64 hexadecimal digits'],
  [['verify', '--file', 'a.jsonl', '--service'], 2, '--file takes neither'],
  [['verify', '--file', 'missing.jsonl'], 4, 'does not exist'],
  [['export', '--tenant', 'nobody'], 4, 'no tenant "nobody"'],
  [['files', '--tenant', 'acme', '--analysis', 'f'.repeat(24)], 4, 'Analysis not found'],
])('audit %j ends with exit code %i', async (args, code, message) => {
  const { run } = await acme();

  const ran = await run('audit', ...args);

  expect(ran.code).toBe(code);
  expect(ran.stderr).toContain(message);
});
