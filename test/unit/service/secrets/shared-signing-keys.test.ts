import { expect, test } from 'vitest';
import { settings } from '../../../../src/ports/db/schema.ts';
import { secretsOf } from '../../../../src/service/secrets/secrets.ts';
import {
  copySigningKeys,
  keysInDatabase,
} from '../../../../src/service/secrets/shared-signing-keys.ts';
import { createSigningKeys, keysInFolder } from '../../../../src/service/secrets/signing-keys.ts';
import { steppedClock, temporaryFolder, testDb } from '../../ports/db/temporary.ts';

async function openShared() {
  const db = await testDb();
  const clock = steppedClock();
  const place = keysInDatabase(db, secretsOf(Buffer.alloc(32, 1)));
  return { db, clock, place, keys: createSigningKeys(place, clock.now) };
}

test('machines that begin at the same moment have one key, which the database does not reveal', async () => {
  const { db, clock, place } = await openShared();

  const machines = Array.from({ length: 4 }, () => createSigningKeys(place, clock.now));
  const signers = await Promise.all(machines.map((keys) => keys.signer()));

  expect(new Set(signers.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  const rows = await db.select().from(settings).all();
  expect(rows.map(({ key }) => key)).toEqual(['signing-key/1']);
  expect(Buffer.from(rows[0]!.value, 'base64').toString('latin1')).not.toContain('KEY');
});

test('a key that one machine replaces signs on none', async () => {
  const { clock, place, keys } = await openShared();
  const other = createSigningKeys(place, clock.now);
  const old = await other.signer();

  const fresh = await keys.rotate();

  expect((await other.signer()).fingerprint).toBe(fresh.fingerprint);
  expect((await other.list()).map(({ fingerprint }) => fingerprint)).toEqual([
    fresh.fingerprint,
    old.fingerprint,
  ]);
  expect(await place.read(1)).not.toContain('PRIVATE');
});

test('another master key opens none of them', async () => {
  const { db, clock, keys } = await openShared();
  await keys.signer();

  const place = keysInDatabase(db, secretsOf(Buffer.alloc(32, 2)));

  await expect(createSigningKeys(place, clock.now).signer()).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('Signing key 1 in the database is damaged'),
  });
});

test('those of a data folder move with it, the retired ones too', async () => {
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
