/** Which store keeps the objects of which analysis. The one question that the other rooms ask about configurations. */

import type { BlobStore } from './store.ts';

export interface TenantStore {
  readonly store: BlobStore;
  /** Null for the embedded store. To be written into the row of whatever is kept there. */
  readonly configId: string | null;
}

/** What the row of an analysis says about where its objects lie. */
export interface Place {
  readonly tenantId: string;
  /** Null for the embedded store. */
  readonly storageConfigId: string | null;
}

export interface Stores {
  /**
   * Where new objects of the tenant go. Applies the CORS rules of a bucket before the first URL is signed for it;
   * a bucket that does not take them is a recorded warning, not a failure.
   *
   * @throws {ForensicsError} `store_unavailable` when the configuration cannot be opened with the present master key.
   */
  current(tenantId: string): Promise<TenantStore>;
  /**
   * Where the objects lie that were made under this configuration, with its latest credentials. Asks no server. Of a
   * configuration that cannot be opened comes a store whose acts fail with `store_unavailable` and whose URLs are empty
   * texts: what is known of an analysis stays readable, and one such analysis takes no list down.
   */
  of(place: Place): BlobStore;
}
