/** Which certificate `serve` shows: the operator's files, one of our own authority, or none behind a proxy. */

import { X509Certificate } from 'node:crypto';
import type { Settings } from '../../contract/config.ts';
import type { HttpServer } from '../../server/server.ts';
import { ensureLocalTls, readOwnTls, type TlsMaterial } from '../../server/tls.ts';
import { showCertificate } from '../../server/transport.ts';

interface CertificateSource {
  readonly load: () => Promise<TlsMaterial>;
  /** How often it is worth a look whether there is another one. */
  readonly everyMs: number;
}

export interface KeptCertificate {
  endsAt(): Date;
  stop(): void;
}

// Two small files are read; a renewed certificate need not wait for a restart.
const filesEveryMs = 30_000;
// Our own leaf is renewed thirty days before its end.
const ownEveryMs = 12 * 3_600_000;

/** Null behind a proxy, which shows its own. */
export function certificateSource(settings: Settings): CertificateSource | null {
  const { tlsCert, tlsKey, publicUrl } = settings;
  if (settings.behindProxy) return null;
  if (tlsCert !== null && tlsKey !== null) {
    return { load: async () => readOwnTls(tlsCert, tlsKey, new Date()), everyMs: filesEveryMs };
  }
  const publicHost = publicUrl === null ? [] : [bare(new URL(publicUrl).hostname)];
  const hosts = [settings.host, ...publicHost];
  return {
    load: async () => ensureLocalTls(settings.dataDir, hosts, new Date()),
    everyMs: ownEveryMs,
  };
}

/** Looks for another certificate now and then, until it is stopped. */
export function keepCertificate(
  { load, everyMs }: CertificateSource,
  shown: TlsMaterial,
  server: HttpServer,
): KeptCertificate {
  const keeper = createCertificateKeeper({
    shown,
    load,
    show: (material) => showCertificate(server.server, material),
    log: server.log,
    now: () => new Date(),
  });
  void keeper.check();
  const timer = setInterval(() => void keeper.check(), everyMs);
  timer.unref();
  return { endsAt: () => keeper.endsAt(), stop: () => clearInterval(timer) };
}

function bare(hostOfUrl: string): string {
  return hostOfUrl.replace(/^\[|\]$/g, '');
}

/**
 * Keeps the certificate that is shown a good one while the server runs: a pair of files that was replaced is shown from
 * the next look on, our own leaf is made anew in time. Whatever goes wrong, the one shown before stays.
 */
export interface CertificateKeeper {
  /** Looks whether there is another certificate now. Never fails: what is wrong is logged. */
  check(): Promise<void>;
  endsAt(): Date;
}

interface CertificateOptions {
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
}: CertificateOptions): CertificateKeeper {
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
