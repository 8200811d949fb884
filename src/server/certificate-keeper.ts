/**
 * Keeps the certificate that is shown a good one while the server runs: a pair of files that was replaced is shown
 * from the next look on, our own leaf is made anew in time. Whatever goes wrong, the one shown before stays.
 */

import { X509Certificate } from 'node:crypto';
import type { TlsMaterial } from './tls.ts';

export interface CertificateKeeper {
  /** Looks whether there is another certificate now. Never fails: what is wrong is logged. */
  check(): Promise<void>;
  endsAt(): Date;
}

interface Parts {
  readonly shown: TlsMaterial;
  /** What should be shown now. Its failure is no reason to show less: two files are not replaced at once. */
  readonly load: () => Promise<TlsMaterial>;
  readonly show: (material: TlsMaterial) => void;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
  readonly now: () => Date;
}

const dayMs = 24 * 3_600_000;
const warnBeforeDays = 14;

export function createCertificateKeeper({
  load,
  show,
  log,
  now,
  ...parts
}: Parts): CertificateKeeper {
  let { shown } = parts;
  let complaint = '';
  let warnedAt: Date | null = null;

  async function renew(): Promise<void> {
    try {
      const found = await load();
      complaint = '';
      if (found.cert === shown.cert && found.key === shown.key) return;
      show(found);
      shown = found;
      log.info({ endsAt: endOf(shown) }, 'another certificate is shown');
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // Once for each thing that is wrong: the next look comes soon.
      if (message !== complaint) log.warn({ err: error }, 'the certificate before is still shown');
      complaint = message;
    }
  }

  function warnOfItsEnd(): void {
    const at = now();
    const endsAt = endOf(shown);
    const isFar = endsAt.getTime() - at.getTime() > warnBeforeDays * dayMs;
    const isTold = warnedAt !== null && at.getTime() - warnedAt.getTime() < dayMs;
    if (isFar || isTold) return;
    warnedAt = at;
    log.warn({ endsAt }, 'the certificate ends soon; renew it');
  }

  return {
    async check() {
      await renew();
      warnOfItsEnd();
    },
    endsAt: () => endOf(shown),
  };
}

function endOf({ cert }: TlsMaterial): Date {
  return new X509Certificate(cert).validToDate;
}
