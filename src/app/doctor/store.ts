/** Does with one store what the service and its clients do: writes and reads, uses presigned URLs, asks as a browser. */

import { probeStore } from '../../blobs/remote/probe.ts';
import type { BlobStore } from '../../blobs/store.ts';
import { ForensicsError } from '../../errors.ts';
import { checkClock } from './clock.ts';
import { checkCors } from './cors.ts';
import { diagnose, type Diagnosis, messageOf } from './diagnosis.ts';
import { checkPresigned } from './presigned.ts';
import type { MakeVisit } from './visit.ts';

export interface StoreToCheck {
  readonly tenant: string;
  readonly store: BlobStore;
  readonly visit: MakeVisit;
  /** Whose pages may use presigned URLs: `*`, origins, or origins with one `*` in the host. */
  readonly origins: readonly string[];
  /** What to do about each kind of failure. */
  readonly fixes: {
    readonly access: string;
    readonly presigned: string;
    readonly cors: string;
  };
  /** What to say when the address for clients cannot be reached from here; null where that is a failure. */
  readonly unreached: { readonly message: string; readonly fix: string } | null;
  readonly now: () => Date;
}

export async function checkStore(target: StoreToCheck): Promise<readonly Diagnosis[]> {
  const access = await checkAccess(target);
  if (access.error !== null) {
    // A clock that is far off has stores refuse everything.
    const clock = hasAnswered(access.error) ? await checkClock(target) : [];
    return [access.diagnosis, ...clock];
  }
  const presigned = await checkPresigned(target);
  // Nobody is there: nothing more can be asked.
  if (presigned.state === 'warning') return [access.diagnosis, presigned];
  const rest = await Promise.all([checkCors(target), checkClock(target)]);
  return [access.diagnosis, presigned, ...rest.flat()];
}

async function checkAccess({ tenant, store, fixes }: StoreToCheck) {
  const { ok, failed } = diagnose('store', tenant);
  try {
    await probeStore(store);
    return { diagnosis: ok('An object was written, read and deleted.'), error: null };
  } catch (error) {
    return { diagnosis: failed(messageOf(error), fixes.access), error };
  }
}

function hasAnswered(error: unknown): boolean {
  return error instanceof ForensicsError && error.code === 'store_refused';
}
