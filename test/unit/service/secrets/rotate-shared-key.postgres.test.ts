/** The master key of a database that several machines share. */

import { expect, test } from 'vitest';
import { type Core, openCore } from '../../../../src/service/core.ts';
import { operator } from '../../../../src/service/audit/entry.ts';
import { readConfig } from '../../../../src/contract/config.ts';
import { rotateMasterKey } from '../../../../src/service/secrets/secrets.ts';
import { createDatabase } from '../../../fixtures/postgres.ts';
import { temporaryFolder } from '../../ports/db/temporary.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const [oldKey, newKey] = ['0a'.repeat(32), '0b'.repeat(32)];
const rotation = { newKey: Buffer.from(newKey, 'hex'), endsOld: false };

async function openMachines() {
  const databaseUrl = await createDatabase(process.env['FORENSICS_TEST_POSTGRES']!);
  const settingsWith = (masterKey: string) =>
    readConfig({ flags: { dataDir: temporaryFolder(), databaseUrl, masterKey }, environment: {} })
      .settings;
  async function withMachine<T>(masterKey: string, act: (core: Core) => Promise<T>): Promise<T> {
    const core = await openCore(settingsWith(masterKey));
    try {
      return await act(core);
    } finally {
      await core.close();
    }
  }
  return { settingsWith, withMachine };
}

const derivedSecrets = async ({ signingKeys, secrets }: Core) => ({
  signer: (await signingKeys.signer()).fingerprint,
  webhooks: secrets.of('webhooks/signing').toString('hex'),
});

test('rotating the master key of a shared database keeps keys, webhooks and the signing key', async () => {
  const { settingsWith, withMachine } = await openMachines();
  let secret = '';
  const before = await withMachine(oldKey, async (core) => {
    const { id: tenantId } = await core.tenants.create({ name: 'acme' });
    const expiresAt = new Date(Date.now() + 3_600_000);
    secret = (await core.keys.mint({ tenantId, name: 'ci', expiresAt, by: operator })).secret;
    return derivedSecrets(core);
  });

  const outcome = await rotateMasterKey(settingsWith(oldKey), rotation);

  expect(outcome).toEqual({ resealed: 0, unreadable: 0, isWiped: true });
  expect(await withMachine(newKey, derivedSecrets)).toEqual(before);
  await withMachine(newKey, async ({ keys }) => keys.authenticate(secret));
  await expect(withMachine(oldKey, derivedSecrets)).rejects.toEqual(
    refusal('config_invalid', 'FORENSICS_MASTER_KEY does not open this database'),
  );
});

test('a rotation is refused while another machine uses the database', async () => {
  const { settingsWith, withMachine } = await openMachines();

  await withMachine(oldKey, async () => {
    await expect(rotateMasterKey(settingsWith(oldKey), rotation)).rejects.toEqual(
      refusal('conflict', 'stop them on every machine'),
    );
  });

  await withMachine(oldKey, async ({ signingKeys }) => signingKeys.signer());
});
