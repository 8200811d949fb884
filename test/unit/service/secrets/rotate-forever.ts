/** Replaces the master key of the data folder named by its argument again and again, until killed. */

import { rotateMasterKey } from '../../../../src/service/secrets/secrets.ts';

const [dataDir = ''] = process.argv.slice(2);
for (;;) {
  await rotateMasterKey(
    { dataDir, masterKey: null, databaseUrl: null, databasePasswordFile: null },
    { newKey: null, endsOld: false },
  );
  process.stdout.write('.');
}
