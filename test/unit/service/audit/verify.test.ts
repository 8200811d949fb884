import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTenants } from '../../../../src/service/tenants/tenants.ts';
import { service } from '../../../../src/service/audit/entry.ts';
import { append } from '../../../../src/service/audit/log.ts';
import { transact } from '../../../../src/ports/db/database.ts';
import { temporaryDb, temporaryFolder } from '../../ports/db/temporary.ts';
import { chain, filledFile, openLog, tamper } from './filled-log.ts';

const template = await filledFile();

async function openFilled() {
  const path = join(temporaryFolder(), 'log.db');
  writeFileSync(path, template);
  const log = openLog(temporaryDb(path));
  const lines = await log.audit.read({ chain });
  const broken = async () => {
    const { broken: found, count } = await log.audit.verify(chain);
    return found === null ? null : { seq: found.seq, fault: found.fault, count };
  };
  return { ...log, lines, broken };
}

const begun = { chain, actor: service, event: 'audit.begun', subject: null, details: {} } as const;
const hashText = (text: string) => createHash('sha256').update(text).digest('hex');
const at = (seq: number) => `chain = '${chain}' AND seq = ${seq}`;

test('an untouched chain is valid, and its head is the hash of its last line', async () => {
  const { audit, lines } = await openFilled();

  const verified = await audit.verify(chain);

  const head = hashText(lines.at(-1)!.text);
  expect(verified).toEqual({ chain, count: 4, head, broken: null, notedSeq: null });
  expect(await audit.head(chain)).toEqual({ chain, count: 4, hash: head });
});

type Break = readonly [seq: number | null, fault: string, count: number];
type Case = [what: string, statements: readonly string[], found: Break];
const ofChain = `chain = '${chain}'`;
const change = (seq: number, set: string) => `UPDATE audit_entries SET ${set} WHERE ${at(seq)}`;

test.each<Case>([
  ...[1, 2, 3, 4].map(
    (seq): Case => [
      `a change of the hash of entry ${seq}`,
      [change(seq, `hash = '${'0'.repeat(64)}'`)],
      [seq, 'changed', seq - 1],
    ],
  ),
  ['an extra space', [change(2, "entry = entry || ' '")], [2, 'changed', 1]],
  ...[1, 2, 3].map(
    (seq): Case => [
      `a deletion of entry ${seq}`,
      [`DELETE FROM audit_entries WHERE ${at(seq)}`],
      [seq, 'missing', seq - 1],
    ],
  ),
  ...[2, 3, 4].map(
    (seq): Case => [
      `a deletion of all entries from ${seq} on`,
      [`DELETE FROM audit_entries WHERE ${ofChain} AND seq >= ${seq}`],
      [seq, 'cut_off', seq - 1],
    ],
  ),
  [
    'a deletion hidden by renumbering the later entries',
    [
      `DELETE FROM audit_entries WHERE ${at(2)}`,
      `UPDATE audit_entries SET seq = seq - 1 WHERE ${ofChain} AND seq > 2`,
    ],
    [2, 'out_of_order', 1],
  ],
  ...(
    [
      [1, 2],
      [2, 4],
      [3, 4],
    ] as const
  ).map(
    ([one, other]): Case => [
      `an exchange of entries ${one} and ${other}`,
      [
        `UPDATE audit_entries SET seq = CASE seq WHEN ${one} THEN ${-other} ELSE ${-one} END
        WHERE ${ofChain} AND seq IN (${one}, ${other})`,
        'UPDATE audit_entries SET seq = -seq WHERE seq < 0',
      ],
      [one, 'out_of_order', one - 1],
    ],
  ),
  ['a deletion of the head', [`DELETE FROM audit_heads WHERE ${ofChain}`], [null, 'cut_off', 4]],
  [
    'the entry of another chain',
    [change(1, "(entry, hash) = (SELECT entry, hash FROM audit_entries WHERE chain = 'other')")],
    [1, 'out_of_order', 0],
  ],
])('%s is detected', async (_name, statements, [seq, fault, count]) => {
  const { db, broken } = await openFilled();

  for (const statement of statements) tamper(db, statement);

  expect(await broken()).toEqual({ seq, fault, count });
});

describe('a change', () => {
  const fields = ['actor', 'at', 'chain', 'details', 'event', 'previous', 'seq', 'subject'];
  const everywhere = [1, 2, 3, 4].flatMap((seq) => fields.map((field) => [seq, field] as const));

  test.each(everywhere)('of entry %i in its field %s is detected there', async (seq, field) => {
    const { db, broken } = await openFilled();

    tamper(
      db,
      `UPDATE audit_entries SET entry = json_set(entry, '$.${field}', 'x') WHERE ${at(seq)}`,
    );

    expect(await broken()).toEqual({ seq, fault: 'changed', count: seq - 1 });
  });

  test.each([1, 2, 3, 4])(
    'of entry %i together with its hash is detected by what follows',
    async (seq) => {
      const { db, lines, broken } = await openFilled();
      const text = lines[seq - 1]!.text.replace('"type":"', '"type":"x');

      const sql = `UPDATE audit_entries SET entry = ?, hash = ? WHERE ${at(seq)}`;
      tamper(db, sql, text, hashText(text));

      expect(await broken()).toEqual({ seq, fault: 'changed', count: seq - 1 });
    },
  );
});

describe('a deletion', () => {
  test('is still detected after the next act', async () => {
    const { db, audit, broken } = await openFilled();
    tamper(db, `DELETE FROM audit_entries WHERE ${at(4)}`);

    await audit.note(begun);

    expect(await broken()).toEqual({ seq: 4, fault: 'missing', count: 3 });
  });

  test('of everything is detected if there is a tenant', async () => {
    const { db, audit, clock } = openLog();
    const { id } = await createTenants({ db, now: clock.now }).create({ name: 'acme' });

    tamper(db, 'DELETE FROM audit_entries');
    tamper(db, 'DELETE FROM audit_heads');

    expect(await audit.chains()).toContain(id);
    expect((await audit.verify(id)).broken).toMatchObject({ seq: null, fault: 'cut_off' });
    expect((await audit.verify('service')).broken).toMatchObject({ seq: null, fault: 'cut_off' });
  });
});

describe('an insertion', () => {
  const insert = `INSERT INTO audit_entries VALUES ('${chain}', ?, ?, ?)`;

  test('between two entries is detected by the position of the next one, however well forged', async () => {
    const { db, lines, broken } = await openFilled();
    const forged = lines[1]!.text.replace('received', 'restarted');
    tamper(db, `UPDATE audit_entries SET seq = -seq - 1 WHERE chain = '${chain}' AND seq >= 2`);
    tamper(db, 'UPDATE audit_entries SET seq = -seq WHERE seq < 0');

    tamper(db, insert, 2, forged, hashText(forged));

    expect(await broken()).toEqual({ seq: 3, fault: 'out_of_order', count: 2 });
  });

  test('before the first is detected', async () => {
    const { db, lines, broken } = await openFilled();

    tamper(db, insert, 0, lines[0]!.text, lines[0]!.hash);

    expect(await broken()).toEqual({ seq: 0, fault: 'out_of_order', count: 0 });
  });

  test('after the last is detected by their number, however well forged', async () => {
    const { db, lines, broken } = await openFilled();
    const text = lines[3]!.text
      .replace('"seq":4', '"seq":5')
      .replace(lines[2]!.hash, lines[3]!.hash);

    tamper(db, insert, 5, text, hashText(text));

    expect(await broken()).toEqual({ seq: 5, fault: 'added', count: 4 });
  });
});

/** Also rewrites everything that depends on the entry, as somebody who knows the program would. */
async function openRewritten() {
  const log = await openFilled();
  const { db, lines } = log;
  let previous = lines[1]!.hash;
  for (const seq of [3, 4]) {
    const old: unknown = JSON.parse(lines[seq - 1]!.text);
    const forged = { ...Object(old), previous };
    if (seq === 3) forged.subject = 'somebody else';
    const text = JSON.stringify(forged);
    previous = hashText(text);
    tamper(db, `UPDATE audit_entries SET entry = ?, hash = ? WHERE ${at(seq)}`, text, previous);
  }
  tamper(db, `UPDATE audit_heads SET hash = ? WHERE chain = '${chain}'`, previous);
  return log;
}

describe('a log rewritten from an entry on', () => {
  test('is consistent', async () => {
    const { broken } = await openRewritten();

    expect(await broken()).toBeNull();
  });

  test.each([3, 4])('does not have the hash noted at entry %i', async (seq) => {
    const { audit, lines } = await openRewritten();

    const { broken, count } = await audit.verify(chain, { head: lines[seq - 1]!.hash });

    expect(broken).toMatchObject({ seq: null, fault: 'not_there' });
    expect(count).toBe(4);
  });

  test('has the hash noted before that entry', async () => {
    const { audit, lines } = await openRewritten();

    const verified = await audit.verify(chain, { head: lines[1]!.hash });

    expect(verified).toMatchObject({ broken: null, notedSeq: 2 });
  });
});

test('a log with thousands of entries is read to its end', async () => {
  const { db, audit, clock } = openLog();

  await transact(db, async (tx) => {
    for (let i = 0; i < 2099; i++) await append(tx, { ...begun, at: clock.now() });
  });

  expect(await audit.verify(chain)).toMatchObject({ count: 2100, broken: null });
});
