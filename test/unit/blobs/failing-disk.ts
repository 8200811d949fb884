import * as promises from 'node:fs/promises';
import type { FileSystem } from '../../../src/blobs/files/disk.ts';

export type Act = 'open' | 'write' | 'sync' | 'rename' | 'link' | 'mkdir';

export interface FailingDisk {
  readonly fileSystem: FileSystem;
  /** From now on this act fails with this code; null repairs the disk. */
  fail(act: Act | null, code?: string): void;
}

/** The real file system, of which one act at a time can be made to fail as the kernel would make it fail. */
export function createFailingDisk(): FailingDisk {
  let broken: Act | null = null;
  let code = 'ENOSPC';

  function check(act: Act): void {
    if (act === broken) throw Object.assign(new Error(`${code}: made to fail`), { code });
  }

  const fileSystem: FileSystem = {
    ...promises,
    async open(path, flags, mode) {
      if (flags === 'wx') check('open');
      const handle = await promises.open(path, flags, mode);
      return new Proxy(handle, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return async (...args: unknown[]) => {
            if (name === 'write' || name === 'sync') check(name);
            return Reflect.apply(value, target, args) as unknown;
          };
        },
      });
    },
    async rename(from, to) {
      check('rename');
      return promises.rename(from, to);
    },
    async link(from, to) {
      check('link');
      return promises.link(from, to);
    },
    mkdir: new Proxy(promises.mkdir, {
      apply(target, self, args) {
        check('mkdir');
        return Reflect.apply(target, self, args);
      },
    }),
  };

  return {
    fileSystem,
    fail(act, how = 'ENOSPC') {
      broken = act;
      code = how;
    },
  };
}
