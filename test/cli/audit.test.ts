import { createHash } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { emptyFolder, refused, runHere } from './run-cli.ts';

interface Entry {
  readonly previous: string;
  readonly event: string;
  readonly hash: string;
}

async function acme() {
  const dataDir = await emptyFolder();
  const run = async (...args: string[]) => runHere([...args, '--data-dir', dataDir]);
  await run('tenant', 'create', 'acme');
  await run('keys', 'create', '--tenant', 'acme', '--name', 'ci');
  await run('hold', 'add', '--tenant', 'acme');
  const tamper = (sql: string) => {
    const client = new Database(join(dataDir, 'forensics.db'));
    client.exec(`DROP TRIGGER audit_entries_unchanged; DROP TRIGGER audit_entries_kept; ${sql}`);
    client.close();
  };
  const printed = await run('audit', 'list', '--tenant', 'acme', '--json');
  const entries: Entry[] = JSON.parse(printed.stdout);
  return { run, entries, tamper, hashes: entries.map(({ hash }) => hash) };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

test("list shows a tenant's log with its hash chain", async () => {
  const { run, entries, hashes } = await acme();

  const listed = await run('audit', 'list', '--tenant', 'acme');
  const later = await run('audit', 'list', '--tenant', 'acme', '--since', '2999-01-01');
  const other = await run('audit', 'list', '--tenant', 'acme', '--analysis', 'f'.repeat(24));

  expect(entries.map(({ previous }) => previous)).toEqual(['0'.repeat(64), ...hashes.slice(0, 2)]);
  for (const { hash, ...entry } of entries) expect(hashOf(JSON.stringify(entry))).toBe(hash);
  expect(listed.stdout).toMatch(
    /^1 +\S+Z +operator +tenant\.created +[0-9a-f]{24} +isTrial=false$/m,
  );
  expect(listed.stdout).toMatch(/^2 +\S+Z +operator +key\.created +[0-9a-f-]{36} +expiresAt=/m);
  expect([later, other]).toMatchObject([
    { code: 0, stdout: '', stderr: expect.stringContaining('There are no entries.') },
    { code: 0, stdout: '' },
  ]);
});

test('an untouched log verifies, also against a recorded hash', async () => {
  const { run, hashes } = await acme();
  const [, second = '', last = ''] = hashes;

  const all = await run('audit', 'verify');
  const noted = await run('audit', 'verify', '--tenant', 'acme', '--head', second.toUpperCase());

  expect(all.code).toBe(0);
  expect(all.stdout).toContain('service: 1 entry is intact.');
  expect(all.stdout).toContain(`acme: 3 entries are intact. The last has the hash ${last}.`);
  expect(all.stderr).toContain('--head');
  expect(noted.stdout).toContain('The stored hash belongs to entry 2');
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

test.each([
  [['list'], 2, '--tenant <name> or --service'],
  [['list', '--tenant', 'acme', '--service'], 2, '--tenant <name> or --service'],
  [['list', '--tenant', 'acme', '--since', 'yesterday'], 2, 'a day such as'],
  [['list', '--tenant', 'nobody'], 4, 'no tenant "nobody"'],
  [['verify', '--head', '0'.repeat(64)], 2, 'belongs to one log'],
  [['verify', '--tenant', 'acme', '--head', 'abc'], 2, '64 hexadecimal digits'],
])('audit %j ends with exit code %i', async (args, code, message) => {
  const { run } = await acme();

  expect(await run('audit', ...args)).toEqual(refused(code, message));
});
