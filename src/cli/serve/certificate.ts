/** The certificate that `serve` uses: the operator's files, one from our own authority, or none behind a proxy. */

import { X509Certificate } from 'node:crypto';
import type { Settings } from '../../contract/config.ts';
import type { HttpServer } from '../../server/server.ts';
import { ensureLocalTls, readOwnTls, type TlsMaterial } from '../../server/tls.ts';
import { showCertificate } from '../../server/transport.ts';

interface CertificateSource {
  readonly load: () => Promise<TlsMaterial>;
  /** How often to check for a new certificate. */
  readonly everyMs: number;
}

// Reading two small files is cheap, and lets a renewed certificate be used without a restart.
const filesEveryMs = 30_000;
// Our own leaf certificate is renewed thirty days before it expires.
const ownEveryMs = 12 * 3_600_000;

/** Null behind a proxy, which has its own certificate. */
export function certificateSource(settings: Settings): CertificateSource | null {
  const { tlsCert, tlsKey, publicUrl } = settings;
  if (settings.behindProxy) return null;
  if (tlsCert !== null && tlsKey !== null) {
    return { load: async () => readOwnTls(tlsCert, tlsKey, new Date()), everyMs: filesEveryMs };
  }
  const publicHost =
    publicUrl === null ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')];
  const hosts = [settings.host, ...publicHost];
  return {
    load: async () => ensureLocalTls(settings.dataDir, hosts, new Date()),
    everyMs: ownEveryMs,
  };
}

export interface KeptCertificate {
  /** Checks for a new certificate now. Never fails; errors are logged. */
  check(): Promise<void>;
  endsAt(): Date;
  stop(): void;
}

const dayMs = 24 * 3_600_000;
const warnBeforeDays = 14;

/**
 * Checks regularly for new files from the operator, or for a renewed leaf of our own, until
 * stopped. When a check fails, the current certificate stays in use.
 */
export function keepCertificate(
  { load, everyMs }: CertificateSource,
  first: TlsMaterial,
  { server, log }: { readonly server: HttpServer['server']; readonly log: KeeperLog },
  now: () => Date = () => new Date(),
): KeptCertificate {
  let shown = first;
  let problem = '';
  let warnedAt: Date | null = null;

  async function replace(): Promise<void> {
    try {
      const found = await load();
      problem = '';
      if (found.cert === shown.cert && found.key === shown.key) return;
      showCertificate(server, found);
      shown = found;
      log.info({ endsAt: certificateEnd(shown) }, 'the certificate was replaced');
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // Each problem is logged only once, because the next check follows soon.
      if (message !== problem) log.warn({ err: error }, 'the earlier certificate stays in use');
      problem = message;
    }
  }

  function warnBeforeEnd(): void {
    const at = now();
    const endsAt = certificateEnd(shown);
    const isFar = endsAt.getTime() - at.getTime() > warnBeforeDays * dayMs;
    const isRecent = warnedAt !== null && at.getTime() - warnedAt.getTime() < dayMs;
    if (isFar || isRecent) return;
    warnedAt = at;
    log.warn({ endsAt }, 'the certificate expires soon; renew it');
  }

  async function check(): Promise<void> {
    await replace();
    warnBeforeEnd();
  }

  const timer = setInterval(() => void check(), everyMs);
  timer.unref();
  return { check, endsAt: () => certificateEnd(shown), stop: () => clearInterval(timer) };
}

interface KeeperLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

function certificateEnd({ cert }: TlsMaterial): Date {
  return new X509Certificate(cert).validToDate;
}
