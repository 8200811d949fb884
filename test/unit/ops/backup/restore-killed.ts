/**
 * Kills itself in the middle of a restore. Runs in its own process with the backup, the data
 * folder, and where to die: in `unpacking`, or before the n-th file system call of replacing the
 * folder's contents with files that say `new`.
 */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const [file = '', dataDir = '', where = ''] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');
const now = () => new Date();

if (where === 'unpacking') {
  const { restore } = await import('../../../../src/ops/backup/restore.ts');
  const onProgress = (done: number, all: number) => void (done > all / 2 && die());
  const request = { file, mayReplace: true, keysDir: null, now, onProgress };
  await restore({ dataDir, masterKey: null }, request);
}

const { makeStaging, putInPlace } = await import(
  '../../../../src/ports/data-folder/swap-folders.ts'
);
const staging = makeStaging(dataDir, now());
for (const name of ['forensics.db', 'master.key', 'models'])
  fs.writeFileSync(join(staging, name), 'new');

let calls = 0;
for (const name of ['renameSync', 'mkdirSync', 'writeFileSync', 'rmSync'] as const) {
  const counted = {
    apply(original: () => unknown, self: unknown, args: unknown[]): unknown {
      if (++calls === Number(where)) die();
      return Reflect.apply(original, self, args);
    },
  };
  Reflect.set(fs, name, new Proxy(fs[name], counted));
}
syncBuiltinESMExports();
putInPlace(dataDir, staging, now());
process.stdout.write(String(calls));
