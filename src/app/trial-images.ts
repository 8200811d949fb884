/** The two pictures that trial tenants may analyse. The administrator puts them into the data folder. */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const names = ['real.jpg', 'fake.jpg'] as const;

/** Lower-case hex MD5 of those that are there: the contract compares them so. It protects nothing. */
export function trialMd5s(dataDir: string): readonly string[] {
  return names
    .map((name) => join(dataDir, 'trial', name))
    .filter((file) => existsSync(file))
    .map((file) => createHash('md5').update(readFileSync(file)).digest('hex'));
}
