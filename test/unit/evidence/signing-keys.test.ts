import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { keysInDatabase } from '../../../src/evidence/keys-in-database.ts';
import { copySigningKeys, createSigningKeys, keysInFolder } from '../../../src/evidence/sign.ts';
import { verifyBundle } from '../../../src/evidence/verify.ts';
import { settings } from '../../../src/ports/db/schema.ts';
import { fromDist } from '../../built.ts';
import { refusal } from '../../fixtures/refusal.ts';
import { steppedClock, temporaryFolder, testDb } from '../ports/db/temporary.ts';
import { smallBundle } from './small-case.ts';

const program = fileURLToPath(new URL('./print-fingerprint.ts', import.meta.url));

function openKeys() {
  const dataDir = join(temporaryFolder(), 'data');
  const clock = steppedClock();
  const folder = join(dataDir, 'signing-keys');
  return { dataDir, folder, clock, keys: createSigningKeys(keysInFolder(dataDir), clock.now) };
}

test('the first use creates a key for the owner only, and later uses find it', async () => {
  const { dataDir, folder, keys } = openKeys();

  const { fingerprint } = await keys.signer();

  const modes = [dataDir, folder, join(folder, '0001.pem')].map((path) => statSync(path).mode);
  expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o700, 0o600]);
  expect(readFileSync(join(folder, '0001.pem'), 'utf8')).toContain('BEGIN PRIVATE KEY');
  const later = createSigningKeys(keysInFolder(dataDir), () => new Date());
  expect((await later.signer()).fingerprint).toBe(fingerprint);
});

test('processes that start simultaneously share one key', async () => {
  const { dataDir, folder } = openKeys();

  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, [...fromDist, program, dataDir]),
  );
  const printed = await Promise.all(children.map(({ stdout }) => text(stdout)));

  expect(printed[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(printed).size).toBe(1);
  expect(readdirSync(folder)).toEqual(['0001.pem']);
});

test('a rotation keeps the old public key with its times, and deletes the private one', async () => {
  const { folder, clock, keys } = openKeys();
  const old = await keys.signer();
  const bundle = smallBundle({ signer: old });
  clock.step(1000);

  const fresh = await keys.rotate();

  expect((await keys.signer()).fingerprint).toBe(fresh.fingerprint);
  const [before, after] = [0, 1].map((second) => new Date(`2026-03-01T12:00:0${second}.000Z`));
  const { pem, fingerprint } = old;
  expect(await keys.list()).toEqual([
    { ...fresh, createdAt: after, retiredAt: null },
    { pem, fingerprint, createdAt: before, retiredAt: after },
  ]);
  expect(readFileSync(join(folder, '0001.pem'), 'utf8')).not.toContain('PRIVATE');
  expect((await verifyBundle(bundle, { fingerprint: old.fingerprint })).holds).toBe(true);
});

test('if the current key is missing, no older one signs, and the error says what to do', async () => {
  const { folder, keys } = openKeys();
  await keys.rotate();
  rmSync(join(folder, '0002.pem'));

  await expect(keys.signer()).rejects.toThrow(
    /0001\.pem in the data folder was replaced.*signing-key rotate/,
  );
  const fresh = await keys.rotate();
  expect((await keys.signer()).fingerprint).toBe(fresh.fingerprint);
});

test.for([['no key at all'], ['Created: 2026-03-01T12:00:00.000Z\n-----BEGIN PRIVATE KEY-----']])(
  'a damaged file (%s) is refused, never replaced',
  async ([content]) => {
    const { folder, keys } = openKeys();
    await keys.signer();
    writeFileSync(join(folder, '0001.pem'), content!);

    const refused = { code: 'config_invalid', message: expect.stringContaining('0001.pem') };
    await expect(keys.signer()).rejects.toMatchObject(refused);
    await expect(keys.list()).rejects.toMatchObject({ code: 'config_invalid' });
    expect(readFileSync(join(folder, '0001.pem'), 'utf8')).toBe(content);
  },
);

async function openShared() {
  const db = await testDb();
  const clock = steppedClock();
  const place = keysInDatabase(db, Buffer.alloc(32, 1));
  return { db, clock, place, keys: createSigningKeys(place, clock.now) };
}

test('machines that start simultaneously share one key, which the database does not reveal', async () => {
  const { db, clock, place } = await openShared();

  const machines = Array.from({ length: 4 }, () => createSigningKeys(place, clock.now));
  const signers = await Promise.all(machines.map((keys) => keys.signer()));

  expect(new Set(signers.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  const rows = await db.select().from(settings).all();
  expect(rows.map(({ key }) => key)).toEqual(['signing-key/1']);
  expect(Buffer.from(rows[0]!.value, 'base64').toString('latin1')).not.toContain('KEY');
});

test('a key replaced on one machine is used on no machine', async () => {
  const { clock, place, keys } = await openShared();
  const other = createSigningKeys(place, clock.now);
  const old = await other.signer();

  const fresh = await keys.rotate();

  expect((await other.signer()).fingerprint).toBe(fresh.fingerprint);
  const fingerprints = [fresh, old].map(({ fingerprint }) => fingerprint);
  expect((await other.list()).map(({ fingerprint }) => fingerprint)).toEqual(fingerprints);
  expect(await place.read(1)).not.toContain('PRIVATE');
});

test('keys cannot be read with another seal key', async () => {
  const { db, clock, keys } = await openShared();
  await keys.signer();

  const place = keysInDatabase(db, Buffer.alloc(32, 2));

  await expect(createSigningKeys(place, clock.now).signer()).rejects.toEqual(
    refusal('config_invalid', 'Signing key 1 in the database is damaged'),
  );
});

test('the keys of a data folder are copied to the database, including retired ones', async () => {
  const { clock, place, keys } = await openShared();
  const folder = keysInFolder(temporaryFolder());
  const ofFolder = createSigningKeys(folder, clock.now);
  await ofFolder.signer();
  clock.step(1000);
  await ofFolder.rotate();

  await copySigningKeys(folder, place);
  await copySigningKeys(folder, place);

  expect(await keys.list()).toEqual(await ofFolder.list());
  expect((await keys.signer()).fingerprint).toBe((await ofFolder.signer()).fingerprint);
});
