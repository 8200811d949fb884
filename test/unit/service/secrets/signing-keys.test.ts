import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createSigningKeys, keysInFolder } from '../../../../src/service/secrets/signing-keys.ts';
import { verifyBundle } from '../../../../src/evidence/verify.ts';
import { steppedClock, temporaryFolder } from '../../ports/db/temporary.ts';
import { smallBundle } from '../../evidence/small-case.ts';

const program = fileURLToPath(new URL('./print-fingerprint.ts', import.meta.url));

function openKeys() {
  const dataDir = join(temporaryFolder(), 'data');
  const clock = steppedClock();
  const folder = join(dataDir, 'signing-keys');
  return { dataDir, folder, clock, keys: createSigningKeys(keysInFolder(dataDir), clock.now) };
}

test('the first use makes a key for the owner alone, and every later one finds it', async () => {
  const { dataDir, folder, keys } = openKeys();

  const { fingerprint } = await keys.signer();

  const modes = [dataDir, folder, join(folder, '0001.pem')].map((path) => statSync(path).mode);
  expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o700, 0o600]);
  expect(readFileSync(join(folder, '0001.pem'), 'utf8')).toContain('BEGIN PRIVATE KEY');
  const later = createSigningKeys(keysInFolder(dataDir), () => new Date());
  expect((await later.signer()).fingerprint).toBe(fingerprint);
});

test('processes that begin at the same moment have one key', async () => {
  const { dataDir, folder } = openKeys();

  const children = Array.from({ length: 4 }, () => spawn(process.execPath, [program, dataDir]));
  const printed = await Promise.all(children.map(({ stdout }) => text(stdout)));

  expect(printed[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(printed).size).toBe(1);
  expect(readdirSync(folder)).toEqual(['0001.pem']);
});

test('a rotation keeps the public half of the old key, with its times, and forgets the private one', async () => {
  const { folder, clock, keys } = openKeys();
  const old = await keys.signer();
  const bundle = smallBundle({ signer: old });
  clock.step(1000);

  const fresh = await keys.rotate();

  expect((await keys.signer()).fingerprint).toBe(fresh.fingerprint);
  expect(await keys.list()).toEqual([
    { ...fresh, createdAt: new Date('2026-03-01T12:00:01.000Z'), retiredAt: null },
    {
      pem: old.pem,
      fingerprint: old.fingerprint,
      createdAt: new Date('2026-03-01T12:00:00.000Z'),
      retiredAt: new Date('2026-03-01T12:00:01.000Z'),
    },
  ]);
  expect(readFileSync(join(folder, '0001.pem'), 'utf8')).not.toContain('PRIVATE');
  expect((await verifyBundle(bundle, { fingerprint: old.fingerprint })).holds).toBe(true);
});

test('when the key in use is gone, no older one signs, and what to do is told', async () => {
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
