/**
 * The two pictures that trial tenants may analyse. Drawn ones are shipped (`npm run draw -- --trial`); a file of the same
 * name in the folder `trial` of the data folder takes the place of one.
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const names = ['real.jpg', 'fake.jpg'] as const;
// The same from `src/app` and from `dist/app`: pictures are not compiled.
const shipped = fileURLToPath(new URL('../../src/app/trial/', import.meta.url));

/** Paths of the drawn pictures by name. */
export const shippedTrialImages: Readonly<Record<string, string>> = Object.fromEntries(
  names.map((name) => [name, join(shipped, name)]),
);

/** One of them: for whoever needs any picture at all. */
export const shippedTrialImage = join(shipped, names[0]);

/** Lower-case hex MD5 of both: the contract compares them so. It protects nothing. */
export function trialMd5s(dataDir: string): readonly string[] {
  return names.map((name) => {
    const own = join(dataDir, 'trial', name);
    const file = existsSync(own) ? own : join(shipped, name);
    return createHash('md5').update(readFileSync(file)).digest('hex');
  });
}
