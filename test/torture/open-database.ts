/** A process that brings a database to the present schema and ends: cheap enough to be killed a thousand times. */

import { openDatabase } from '../../src/db/sqlite.ts';

const path = process.argv[2] ?? '';
process.stdout.write('opening\n');
await openDatabase({ path }).close();
