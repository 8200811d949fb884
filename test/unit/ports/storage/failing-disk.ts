import * as promises from 'node:fs/promises';
import type { FileSystem } from '../../../../src/ports/storage/embedded/object-file.ts';

export type Act = 'open' | 'write' | 'sync' | 'rename' | 'mkdir';

export interface FailingDisk {
  readonly fileSystem: FileSystem;
  /** The operations so far, in order, without mkdir. */
  readonly acts: (Act | 'sync folder')[];
  /** From now on `act` fails with `code`; null repairs the disk. */
  fail(act: Act | null, code?: string): void;
}

/** The real file system, in which one operation at a time can be made to fail as the kernel would. */
export function createFailingDisk(): FailingDisk {
  const acts: FailingDisk['acts'] = [];
  let broken: Act | null = null;
  let code = 'ENOSPC';

  function perform(act: Act): void {
    if (act !== 'mkdir') acts.push(act);
    if (act === broken)
      throw Object.assign(new Error(`${code}: made to fail`), { code, syscall: act });
  }

  function watchFile(handle: promises.FileHandle): promises.FileHandle {
    const [write, sync] = [handle.write.bind(handle), handle.sync.bind(handle)];
    return Object.assign(handle, {
      write: async (bytes: Uint8Array, at: number, length: number) => {
        perform('write');
        return write(bytes, at, length);
      },
      sync: async () => {
        perform('sync');
        return sync();
      },
    });
  }

  async function open(...[path, flags, mode]: Parameters<typeof promises.open>) {
    if (flags === 'wx') {
      perform('open');
      return watchFile(await promises.open(path, flags, mode));
    }
    const handle = await promises.open(path, flags, mode);
    const sync = handle.sync.bind(handle);
    return Object.assign(handle, {
      sync: async () => {
        acts.push('sync folder');
        return sync();
      },
    });
  }

  const fileSystem: FileSystem = {
    ...promises,
    open,
    async rename(from, to) {
      perform('rename');
      return promises.rename(from, to);
    },
    mkdir: new Proxy(promises.mkdir, {
      async apply(target, self, args) {
        perform('mkdir');
        return Reflect.apply(target, self, args);
      },
    }),
  };

  return {
    fileSystem,
    acts,
    fail(act, how = 'ENOSPC') {
      broken = act;
      code = how;
    },
  };
}
