import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPasswords } from '../../src/service/access/embedded/passwords.ts';
import { openCore } from '../../src/service/core.ts';
import { createLocalKeys } from '../../src/cli/connection/local.ts';
import { readConfig } from '../../src/contract/config.ts';
import { describeService, tenant } from './service.ts';

describeService('on the data folder of this machine', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'forensics-service-'));
  const { settings } = readConfig({ flags: { dataDir }, environment: {} });
  const core = await openCore(settings, () => new Date(), createPasswords({ ln: 4 }));
  await core.tenants.create({ name: tenant });
  const service = createLocalKeys(core);
  return {
    service,
    core,
    close: async () => {
      await core.close();
      rmSync(dataDir, { recursive: true });
    },
  };
});
