/** Does with one store what the service and its clients do: writes, reads, uses presigned URLs and sends preflight requests. */

import { ForensicsError } from '../../errors.ts';
import { probeStore } from '../../ports/storage/remote/probe.ts';
import { checkClock } from './clock.ts';
import { diagnose, type Diagnosis, messageOf } from './diagnosis.ts';
import { checkCors, checkPresigned, type StoreToCheck } from './presigned.ts';

export async function checkStore(target: StoreToCheck): Promise<readonly Diagnosis[]> {
  const access = await checkAccess(target);
  if (access.error !== null) {
    // Stores reject every request when the clock is far off.
    const hasAnswered =
      access.error instanceof ForensicsError && access.error.code === 'store_refused';
    const clock = hasAnswered ? await checkClock(target) : [];
    return [access.diagnosis, ...clock];
  }
  const presigned = await checkPresigned(target);
  // The store is unreachable, so the other checks would fail too.
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
