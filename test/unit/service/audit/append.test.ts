import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { operator, parseEntry, service } from '../../../../src/service/audit/entry.ts';
import { append } from '../../../../src/service/audit/log.ts';
import { transact } from '../../../../src/ports/db/database.ts';
import { settings } from '../../../../src/ports/db/schema.ts';
import { fromDist } from '../../../built.ts';
import { temporaryDb, temporaryFolder } from '../../ports/db/temporary.ts';
import { analysisId, chain, fillLog, openLog } from './filled-log.ts';

const script = fileURLToPath(new URL('./append-many.ts', import.meta.url));
const zeros = '0'.repeat(64);
const begun = { chain, actor: service, event: 'audit.begun', subject: null, details: {} } as const;

describe('an entry', () => {
  test('is one line of canonical JSON with actor, event, subject, time and previous hash', async () => {
    const log = openLog();

    await fillLog(log);

    const [first, second] = await log.audit.read({ chain });
    expect(first!.text).toBe(
      `{"actor":{"id":null,"type":"operator"},"at":"2026-03-01T12:00:00.000Z","chain":"${chain}","details":{"isTrial":false},"event":"tenant.created","previous":"${zeros}","seq":1,"subject":"${chain}"}`,
    );
    expect(parseEntry(second!)).toEqual({
      actor: { type: 'api', id: 'key-1' },
      at: '2026-03-01T12:00:01.000Z',
      chain,
      details: { sha256: 'c'.repeat(64), md5: 'd'.repeat(32), sizeBytes: 7 },
      event: 'analysis.received',
      previous: createHash('sha256').update(first!.text).digest('hex'),
      seq: 2,
      subject: analysisId,
    });
  });

  test('is rolled back with the act that it records', async () => {
    const { db, audit, clock } = openLog();

    const act = () =>
      transact(db, async (tx) => {
        await tx.insert(settings).values({ key: 'a', value: 'b' }).run();
        await append(tx, { ...begun, at: clock.now() });
        throw new RangeError('the power went');
      });

    await expect(act).rejects.toThrow(RangeError);
    expect(await audit.read({ chain })).toEqual([]);
    expect(await audit.head(chain)).toEqual({ chain, count: 0, hash: zeros });
    expect(await db.select().from(settings).all()).toEqual([]);
  });
});

test.each([
  ['INSERT OR REPLACE', `INSERT OR REPLACE INTO audit_entries VALUES ('${chain}', 1, '{}', '')`],
  ['move of a head', "UPDATE audit_heads SET chain = chain || 'x', count = count + 1"],
])('the database refuses: %s', async (_, sql) => {
  const log = openLog();
  await fillLog(log);

  const act = () => log.db.$client.exec(sql);

  expect(act).toThrow('the audit log is append-only');
  expect((await log.audit.verify(chain)).broken).toBeNull();
});

test('a process that is killed while it writes leaves a valid chain', async () => {
  const path = join(temporaryFolder(), 'forensics.db');
  const { audit } = openLog(temporaryDb(path));
  const child = spawn(process.execPath, [...fromDist, script, path, chain, 'one'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');

  const { broken, count } = await audit.verify(chain);
  expect(broken).toBeNull();
  expect(count).toBeGreaterThan(1);
  expect(count).toBe((await audit.read({ chain })).length);
});

test('entries of two processes that write at once are in one chain, and none is lost', async () => {
  const path = join(temporaryFolder(), 'forensics.db');
  const { audit } = openLog(temporaryDb(path));
  const run = promisify(execFile);

  await Promise.all(
    ['one', 'two'].map((name) => run(process.execPath, [...fromDist, script, path, chain, name])),
  );

  const lines = (await audit.read({ chain })).map(parseEntry);
  const by = (name: string) => lines.filter(({ subject }) => subject === name).length;
  expect([by('one'), by('two')]).toEqual([100, 100]);
  expect(await audit.verify(chain)).toMatchObject({ count: 201, broken: null });
});

test('a chain that was removed completely starts again with audit.begun', async () => {
  const { audit } = openLog();

  await audit.note({ chain, subject: 'k', actor: operator, event: 'key.revoked', details: {} });

  const events = (await audit.read({ chain })).map((line) => parseEntry(line).event);
  expect(events).toEqual(['audit.begun', 'key.revoked']);
});

test('entries are selected by subject and by time, to the millisecond', async () => {
  const log = openLog();
  await fillLog(log);
  const seqs = async (selection: object) =>
    (await log.audit.read({ chain, ...selection })).map((line) => parseEntry(line).seq);

  expect(await seqs({ subject: analysisId })).toEqual([2, 3, 4]);
  expect(await seqs({ from: new Date('2026-03-01T12:00:02.000Z') })).toEqual([3, 4]);
  expect(await seqs({ from: new Date('2026-03-01T12:00:02.001Z') })).toEqual([4]);
  expect(await seqs({ subject: 'nobody' })).toEqual([]);
});
