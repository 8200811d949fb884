/** Which store keeps the objects of which analysis. The one question that the other rooms ask about configurations. */

import type { BlobStore } from './store.ts';

export interface TenantStore {
  readonly store: BlobStore;
  /** Null for the service's own store. To be written into the row of whatever is kept there. */
  readonly configId: string | null;
}

export interface Stores {
  /**
   * Where new objects of the tenant go. Applies the CORS rules of a bucket before the first URL is signed for it;
   * a bucket that does not take them is a recorded warning, not a failure.
   */
  current(tenantId: string): Promise<TenantStore>;
  /**
   * Where the objects lie that were made under this configuration. Local: asks no server.
   *
   * @throws {ForensicsError} `store_unavailable` when the configuration cannot be opened with the present master key.
   */
  of(place: { readonly tenantId: string; readonly storageConfigId: string | null }): BlobStore;
}
