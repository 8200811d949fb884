import { dirname } from 'node:path';
import { type FileSystem, systemCode } from './disk.ts';

export interface Folders {
  /** The folder exists and survives a power cut. */
  ensure(folder: string): Promise<void>;
  /** The names inside the folder survive a power cut. A folder that is not there has none. */
  sync(folder: string): Promise<void>;
  /** Look again at the next call: somebody may have removed a folder. */
  forget(): void;
}

/** Folders below `root` that are made once, and synced before anybody relies on them. */
export function createFolders(fs: FileSystem, root: string): Folders {
  // Promises, not names: a second writer waits until the folder that the first one makes is durable.
  const ensured = new Map<string, Promise<void>>();

  function ensure(folder: string): Promise<void> {
    const known = ensured.get(folder);
    if (known !== undefined) return known;
    const made = make(folder).catch((error: unknown) => {
      ensured.delete(folder);
      throw error;
    });
    ensured.set(folder, made);
    return made;
  }

  async function make(folder: string): Promise<void> {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    // A folder's name is kept by its parent; also synced when found, its maker may have crashed in between.
    for (let at = folder; at.length > root.length; at = dirname(at)) await sync(dirname(at));
  }

  async function sync(folder: string): Promise<void> {
    // Windows has no such thing as a folder that can be synced.
    if (process.platform === 'win32') return;
    try {
      const handle = await fs.open(folder, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }

  return { ensure, sync, forget: () => ensured.clear() };
}
