/**
 * Kills itself in the middle of a restore. Runs in its own process with the backup, the data folder, and where to die: in
 * `unpacking`, or before the n-th step of moving the files into place.
 */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [file = '', dataDir = '', where = ''] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');

let calls = 0;
for (const name of ['renameSync', 'rmdirSync'] as const) {
  const counted = {
    apply(original: () => unknown, self: unknown, args: unknown[]): unknown {
      if (++calls === Number(where)) die();
      return Reflect.apply(original, self, args);
    },
  };
  Reflect.set(fs, name, new Proxy(fs[name], counted));
}
syncBuiltinESMExports();
const { restore } = await import('../../../../src/ops/backup/restore.ts');
const onProgress = (done: number, all: number) =>
  void (where === 'unpacking' && done > all / 2 && die());
await restore({ dataDir, masterKey: null }, { file, keysDir: null, onProgress });
