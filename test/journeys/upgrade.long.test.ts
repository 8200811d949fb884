/**
 * The backups of old releases: restored, upgraded by this program, and downgraded as the manual says. That the old
 * program starts on the result is shown as far as possible without it: files, rows and schema are what it left.
 */

import { copyFileSync, globSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { currentSchema } from '../../src/ports/db/migrations.ts';
import { emptyFolder, runHere } from '../cli/run-cli.ts';
import { expectSeen, openUpgraded, restoreRelease } from '../fixtures/old-release.ts';
import { makeOlderDatabase } from '../unit/ports/db/older-database.ts';

describe.each([
  ['0.2.0', 16],
  ['0.8.0', 21],
  ['0.9.0', 22],
])('a folder of version %s', (version, schema) => {
  test('upgrades: keys, accounts, webhooks, results, files, evidence and log', {
    timeout: 120_000,
  }, async () => {
    const { seen, folder, dataDir } = await restoreRelease(version);
    const headers = { authorization: `ApiKey ${seen.apiKey}` };
    const open = await openUpgraded(dataDir);
    const ask = async (url: string) => open.server.inject({ url, headers });
    const [first, second] = await expectSeen(open, seen);
    const tenant = await ask('/v1/tenant?tenantName=default');
    const messages = await ask('/v1/tenant/webhook?tenantName=default');
    const { getUrl } = first!.inferenceStatus.result!.report!['de'].pdfStorageUrls;
    const { pathname, search } = new URL(getUrl);
    const pdf = await open.server.inject({ url: pathname + search });
    const upgraded = await open.server.inject({
      method: 'POST',
      url: '/v1/analysis/retry',
      headers,
      body: { tenantName: 'default', id: second!.id, options: { tier: 'forensicReporting' } },
    });
    await open.app.close();
    const bundle = join(folder, 'evidence.zip');
    const { id } = first!;
    const report = ['report', id, '--tenant', 'default', '--out', bundle, '--data-dir', dataDir];
    const codes = [
      await runHere(report),
      await runHere(['verify', bundle]),
      await runHere(['audit', 'verify', '--data-dir', dataDir]),
    ].map(({ code }) => code);

    expect(tenant.json()).toMatchObject({ data: { webhookUrl: seen.webhookUrl } });
    expect(messages.json<{ data: object[] }>().data.length).toBeGreaterThanOrEqual(6);
    expect(upgraded.statusCode).toBe(200);
    expect(pdf.rawPayload.toString('latin1', 0, 5)).toBe('%PDF-');
    expect(codes).toEqual([0, 0, 0]);
    await open.close();
  });

  test('downgrades to its original state, from the database copy and from the backup', {
    timeout: 120_000,
  }, async () => {
    const { dataDir, backup, database } = await restoreRelease(version);
    const before = contentOf(database);
    const files = filesOf(dataDir);
    const released = join(await emptyFolder(), 'released.db');
    makeOlderDatabase(released, schema);

    await (await openUpgraded(dataDir)).app.close();
    const forward = contentOf(database);
    // As the manual's deployment page says.
    if (schema < currentSchema('sqlite')) {
      const [copy = ''] = readdirSync(join(dataDir, 'backups'));
      copyFileSync(join(dataDir, 'backups', copy), database);
      for (const end of ['-wal', '-shm']) rmSync(`${database}${end}`, { force: true });
    }
    const back = contentOf(database);
    renameSync(dataDir, `${dataDir}-upgraded`);
    const again = await runHere(['restore', backup, '--data-dir', dataDir]);

    expect(forward.schema).toBe(currentSchema('sqlite'));
    expect(back).toEqual(before);
    expect(before).toMatchObject({ schema, tables: contentOf(released).tables, damage: ['ok'] });
    expect(again.code).toBe(0);
    expect(contentOf(database)).toEqual(before);
    expect(filesOf(dataDir)).toEqual(files);
  });
});

/** The content of an SQLite file: schema version, definitions, all rows, and any damage. */
function contentOf(path: string) {
  const client = new Database(path, { readonly: true });
  const tables = client
    .prepare<[], { name: string; type: string; sql: string }>(
      "SELECT name, type, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all();
  const names = tables
    .filter(({ type, sql }) => type === 'table' && !/ VIRTUAL /.test(sql))
    .map(({ name }) => name);
  const rows = names.map((name) => [name, client.prepare(`SELECT * FROM "${name}"`).all()]);
  const schema = client.pragma('user_version', { simple: true });
  const damage = client.prepare('PRAGMA integrity_check').pluck().all();
  client.close();
  return { schema, tables, rows: JSON.stringify(rows), damage };
}

/** Pictures, reports and keys by name. */
function filesOf(dataDir: string) {
  const names = globSync('{blobs,signing-keys,tls}/**/*', { cwd: dataDir, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return names.toSorted().map((path) => [path, readFileSync(path).toString('base64')]);
}
