import { probeKey } from '../../blobs/remote/probe.ts';
import { diagnose, type Diagnosis } from './diagnosis.ts';
import type { StoreToCheck } from './store.ts';

const warnAboveMs = 60_000;
// Signature Version 4 refuses what is signed more than a quarter of an hour away.
const failAboveMs = 15 * 60_000;
/** The header has no fraction of a second. */
export const halfSecondMs = 500;

/** Any answer of the store tells its time; nothing when there is none, which other checks tell better. */
export async function checkClock(target: StoreToCheck): Promise<readonly Diagnosis[]> {
  const { tenant, store, visit, now } = target;
  const { origin } = new URL(store.presign(probeKey(), now()).getUrl);
  const answer = await visit({ method: 'HEAD', url: `${origin}/` }).catch(() => null);
  const storeMs = Date.parse(answer?.headers.date ?? '');
  if (answer === null || Number.isNaN(storeMs)) return [];
  return [judgeClock(tenant, answer.at.getTime() - (storeMs + halfSecondMs))];
}

/**
 * @param aheadMs - how far this machine's clock is ahead of the other one.
 * @param other - whose that is.
 */
export function judgeClock(tenant: string | null, aheadMs: number, other = 'the store'): Diagnosis {
  const { ok, warning, failed } = diagnose('clock', tenant);
  const offMs = Math.abs(aheadMs);
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  const told = `This machine is ${Math.round(offMs / 1000)} s ${where} ${other}.`;
  const fix = `Set the clocks of this machine and of ${other} by NTP: timedatectl set-ntp true`;
  if (offMs > failAboveMs) return failed(told, fix);
  return offMs > warnAboveMs
    ? warning(told, fix)
    : ok(`This machine and ${other} agree on the time.`);
}
