/** Which certificate `serve` shows: the operator's files, one of our own authority, or none behind a proxy. */

import type { Settings } from '../../config/config.ts';
import { createCertificateKeeper } from '../../server/certificate.ts';
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
