/** A process that upgrades a database to the current schema and exits: cheap enough to be killed a thousand times. */

import { openDatabase } from '../../src/ports/db/sqlite.ts';

const [path = '', how] = process.argv.slice(2);
process.stdout.write('opening\n');
await openDatabase({ path, isExclusive: how === 'alone' }).close();
