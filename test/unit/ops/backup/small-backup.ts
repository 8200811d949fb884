/** A small data folder without a server: a database, its keys and a few objects, and a backup of it. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backUp as createBackup } from '../../../../src/ops/backup/backup.ts';
import { type Db, transact } from '../../../../src/ports/db/database.ts';
import { analyses, settings, storageConfigs, tenants } from '../../../../src/ports/db/schema.ts';
import { bucketName, objectPath } from '../../../../src/ports/storage/embedded/embedded.ts';
import { deriveSecrets } from '../../../../src/service/secrets/secrets.ts';
import { analysisRow, rowMadeAt as createdAt } from '../../ports/db/analysis-row.ts';
import { temporaryDb, temporaryFolder } from '../../ports/db/temporary.ts';

export const masterKey = Buffer.alloc(32, 5);
export const now = () => new Date('2026-11-21T21:30:05.678Z');

const tenantId = '0'.repeat(24);
const [inputKey, evidenceKey] = ['analyses/1/input.jpg', 'evidence/1'];
const objectOf = (key: string, isEvidence: boolean) => ({
  path: `blobs/${objectPath(bucketName(tenantId), key)}`,
  isEvidence,
});
export const evidence = objectOf(evidenceKey, true);
export const upload = objectOf(inputKey, false);

export const content: Readonly<Record<string, string>> = {
  'master.key': `${masterKey.toString('hex')}\n`,
  'signing-keys/0001.pem': 'a key that signs',
  'tls/ca-key.pem': 'a key of an authority',
  'validations/one.json': '{}',
  'models/trace-2/model.onnx': 'weights',
  [evidence.path]: 'picture'.repeat(300),
  [upload.path]: 'upload',
};

export const elsewhere = { type: 's3', place: 's3 https://store/bucket' } as const;

/** One analysis with its objects here, and one in the tenant's own store. */
async function addRows(db: Db): Promise<void> {
  await transact(db, async (tx) => {
    const tenant = { id: tenantId, name: 'acme', keyTag: 'acme', isTrial: false, createdAt };
    const sealed = { sealed: Buffer.from('sealed'), createdAt, updatedAt: createdAt };
    await tx.insert(settings).values({ key: 'mark', value: 'old' }).run();
    await tx.insert(tenants).values(tenant).run();
    await tx
      .insert(storageConfigs)
      .values({ id: 'own', tenantId, ...elsewhere, ...sealed })
      .run();
    const rows = [{ inputKey, evidenceKey }, { storageConfigId: 'own' }];
    for (const [index, row] of rows.entries()) {
      await tx
        .insert(analyses)
        .values(analysisRow(String(index), { tenantId, ...row }))
        .run();
    }
  });
}

export async function smallFolder() {
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const db = temporaryDb(join(dataDir, 'forensics.db'));
  await addRows(db);
  for (const [name, text] of Object.entries(content)) {
    mkdirSync(dirname(join(dataDir, name)), { recursive: true });
    writeFileSync(join(dataDir, name), text);
  }
  return { folder, dataDir, db, out: join(folder, 'backup.tar') };
}

type SmallFolder = Awaited<ReturnType<typeof smallFolder>>;
type Core = Parameters<typeof createBackup>[0];

export async function backUp(
  { db, dataDir, out }: Omit<SmallFolder, 'folder'>,
  more: Partial<Parameters<typeof createBackup>[1]> = {},
  note: Core['audit']['note'] = async () => undefined,
) {
  const core: Core = {
    folder: { path: dataDir, keyFile: {} },
    secrets: deriveSecrets(masterKey),
    database: { db },
    audit: { note },
  };
  const request = { out, withKeys: true, program: '1.2.3', settings: { port: 1 }, now };
  return createBackup(core, { ...request, ...more });
}

/** A small folder with its backup. */
export async function backedUp(more: Parameters<typeof backUp>[1] = {}) {
  const small = await smallFolder();
  await backUp(small, more);
  return small;
}
