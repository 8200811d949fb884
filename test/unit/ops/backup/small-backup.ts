/** A small data folder without a server: a database, its keys and a few objects, and a backup of it. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { NamedObject } from '../../../../src/ops/backup/contents.ts';
import { createBackup } from '../../../../src/ops/backup/create.ts';
import { transact } from '../../../../src/ports/db/database.ts';
import { settings } from '../../../../src/ports/db/schema.ts';
import { temporaryDb, temporaryFolder } from '../../ports/db/temporary.ts';

export const masterKey = Buffer.alloc(32, 5);
export const now = () => new Date('2026-11-21T21:30:05.678Z');
export const keyId = '0123456789abcdef';
/** Every key of `masterKey`'s bytes is the right one. */
export const keysAsRead = {
  ofSettings: null,
  parse: (text: string) => Buffer.from(text.trim(), 'hex'),
  identify: (key: Buffer) => (key.equals(masterKey) ? keyId : 'f'.repeat(16)),
};

const objectOf = (name: string, isEvidence: boolean): NamedObject => ({
  path: `blobs/b-${'0'.repeat(24)}/objects/${name.repeat(2)}/${name.repeat(64)}`,
  isEvidence,
});
export const evidence = objectOf('a', true);
export const report = objectOf('b', false);

export const content: Readonly<Record<string, string>> = {
  'master.key': `${masterKey.toString('hex')}\n`,
  'signing-keys/0001.pem': 'a key that signs',
  'tls/ca-key.pem': 'a key of an authority',
  'validations/one.json': '{}',
  'models/trace-2/model.onnx': 'weights',
  [evidence.path]: 'picture'.repeat(300),
  [report.path]: 'report',
};

export async function smallFolder() {
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const db = temporaryDb(join(dataDir, 'forensics.db'));
  await transact(db, async (tx) => tx.insert(settings).values({ key: 'mark', value: 'old' }).run());
  for (const [name, text] of Object.entries(content)) {
    mkdirSync(dirname(join(dataDir, name)), { recursive: true });
    writeFileSync(join(dataDir, name), text);
  }
  return { folder, dataDir, db, out: join(folder, 'backup.tar') };
}

type SmallFolder = Awaited<ReturnType<typeof smallFolder>>;

export async function backUp(
  { db, dataDir, out }: SmallFolder,
  more: Partial<Parameters<typeof createBackup>[0]> & {
    readonly objects?: readonly NamedObject[];
  } = {},
) {
  const { objects = [evidence, report], ...parts } = more;
  return createBackup({
    db,
    dataDir,
    out,
    withKeys: true,
    facts: { program: '1.2.3', masterKey: { place: 'here', id: keyId }, settings: { port: 1 } },
    listObjects: () => objects,
    listElsewhere: async () => [{ type: 's3', place: 's3 https://store/bucket', analyses: 7 }],
    now,
    ...parts,
  });
}
