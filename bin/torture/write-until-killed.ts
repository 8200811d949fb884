/** A process that changes a database until it is killed, and names each change once it is committed. */

import { writeSync } from 'node:fs';
import { transact } from '../../src/ports/db/database.ts';
import { settings } from '../../src/ports/db/schema.ts';
import { openDatabase } from '../../src/ports/db/sqlite.ts';

const { db } = openDatabase({ path: process.argv[2] ?? '' });
// The log begins anew more often: a new generation over what is left of the one before.
db.$client.pragma('wal_autocheckpoint = 60');
for (let n = 0; ; n++) {
  await transact(db, async (tx) => {
    // One page up to twenty.
    for (let row = 0; row < 1 + (n % 7); row++) {
      const [key, value] = [`change ${n}.${row}`, 'x'.repeat(200 + ((n * 997) % 9000))];
      await tx.insert(settings).values({ key, value }).run();
    }
  });
  writeSync(1, `change ${n}.0\n`);
}
