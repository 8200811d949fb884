/** Where a backup is written: outside of what it saves, under a name that nobody has. */

import { link, open, realpath, rename, stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { ForensicsError } from '../errors.ts';
import { knowsNoLinks, systemCodeOf } from '../errors/system-code.ts';

/** @throws {ForensicsError} `conflict`, `usage`. */
export async function checkPlace(out: string, dataDir: string): Promise<void> {
  if ((await stat(out).catch(() => null)) !== null) throw isTaken(out);
  const [place, data] = [await realpath(dirname(out)), await realpath(dataDir)];
  if (place !== data && !place.startsWith(data + sep)) return;
  throw new ForensicsError(
    'usage',
    'A backup in the data folder would go with it; name a place outside with --out, best on another disk.',
  );
}

/** A link, because a rename would replace what somebody else wrote in the meantime. */
export async function publish(archive: string, out: string): Promise<void> {
  try {
    await link(archive, out);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EEXIST') throw isTaken(out);
    if (!knowsNoLinks(code)) throw error;
    await rename(archive, out);
  }
  if (process.platform === 'win32') return;
  const folder = await open(dirname(out), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function isTaken(out: string): ForensicsError {
  return new ForensicsError('conflict', `${out} is there; choose another --out.`);
}
