import type { X509Certificate } from 'node:crypto';
import { soonDays } from '../../app/doctor/certificate.ts';
import { diagnose, type Diagnosis } from '../../app/doctor/diagnosis.ts';
import { shownChain } from '../../client/shown-chain.ts';

const dayMs = 86_400_000;

/** How long the certificates still hold; that they are trusted was shown by whoever got an answer. */
export async function checkShown(url: URL): Promise<Diagnosis> {
  const chain = await shownChain(url).catch(() => []);
  return judgeChain(chain, new Date());
}

/** @param chain - as the server shows it; empty where it was not seen, as behind a proxy. */
export function judgeChain(
  chain: readonly Pick<X509Certificate, 'validToDate' | 'issuer'>[],
  now: Date,
): Diagnosis {
  const { ok, warning } = diagnose('certificate');
  const [first] = chain.toSorted((a, b) => a.validToDate.getTime() - b.validToDate.getTime());
  if (first === undefined) return ok('It is trusted; its age was not seen from here.');
  const days = Math.floor((first.validToDate.getTime() - now.getTime()) / dayMs);
  const told = `It is trusted, and ends on ${first.validToDate.toISOString().slice(0, 10)}, in ${days} days.`;
  return days < soonDays
    ? warning(told, 'Renew it on the server; one of its own it renews when it is started again.')
    : ok(told);
}
