/** Adds 100 entries to a chain of a database. Arguments: path, chain, subject. */

import { service } from '../../../../src/service/audit/entry.ts';
import { createAudit } from '../../../../src/service/audit/log.ts';
import { openDatabase } from '../../../../src/ports/db/sqlite.ts';

const [path = '', chain = '', subject = ''] = process.argv.slice(2);
const database = openDatabase({ path });
const audit = createAudit({ db: database.db, now: () => new Date() });
for (let i = 0; i < 100; i++) {
  await audit.note({ chain, subject, actor: service, event: 'analysis.begun', details: {} });
  process.stdout.write('.');
}
await database.close();
