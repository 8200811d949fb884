/** Whether `dist` is what the sources say. What starts from it does so in a fraction of the time that they need. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export function isBuilt(): boolean {
  return lastChange('src') <= lastChange('dist');
}

/** Zero for a folder that does not exist. */
function lastChange(folder: string): number {
  const root = fileURLToPath(new URL(`../${folder}`, import.meta.url));
  if (statSync(root, { throwIfNoEntry: false }) === undefined) return 0;
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return Math.max(...names.map((name) => statSync(join(root, name)).mtimeMs));
}
