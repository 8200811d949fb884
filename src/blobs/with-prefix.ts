import { checkPath } from './checks.ts';
import type { BlobStore, RemoteStore } from './store.ts';

/**
 * The part of a shared store whose keys begin with `prefix`. No key leads out of it. Only presigned URLs tell whole keys,
 * because clients see them in the address; whoever uses the part knows nothing of the prefix.
 */
export function withPrefix(store: RemoteStore, prefix: string): RemoteStore {
  const whole = (key: string): string => {
    checkPath(key);
    return `${prefix}${key}`;
  };

  const part: BlobStore = {
    type: store.type,
    async put(key, body, options) {
      return { ...(await store.put(whole(key), body, options)), key };
    },
    read: async (key, maxBytes) => store.read(whole(key), maxBytes),
    async head(key) {
      const info = await store.head(whole(key));
      return info === null ? null : { ...info, key };
    },
    delete: async (key) => store.delete(whole(key)),
    presign: (key, now) => store.presign(whole(key), now),
  };
  return { ...store, ...part };
}
