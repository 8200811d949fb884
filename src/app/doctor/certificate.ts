/** Whether clients will take the certificate: its age, its key and its names. Whether they trust it is theirs to know. */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Settings } from '../../config.ts';
import { type Diagnose, diagnose, type Diagnosis } from './diagnosis.ts';

type CertificateSettings = Pick<
  Settings,
  'behindProxy' | 'dataDir' | 'publicUrl' | 'tlsCert' | 'tlsKey'
>;

const dayMs = 86_400_000;
/** Before its end a certificate is spoken of. */
export const soonDays = 14;

export function checkCertificate(settings: CertificateSettings, now: Date): Diagnosis {
  const about = diagnose('certificate');
  const { behindProxy, dataDir, publicUrl, tlsCert, tlsKey } = settings;
  if (behindProxy) return about.ok('The proxy shows its own; this server needs none.');
  if (tlsCert !== null && tlsKey !== null) {
    const fix = 'Renew the files of --tls-cert and --tls-key; a running server takes them up.';
    const host = publicUrl === null ? null : new URL(publicUrl).hostname;
    return judge(about, { cert: tlsCert, key: tlsKey, host, fix, now });
  }
  const cert = join(dataDir, 'tls', 'cert.pem');
  if (!existsSync(cert)) return about.ok('The first start of the server makes one.');
  const fix = 'Start "forensics serve" again: it makes a new one where needed.';
  return judge(about, { cert, key: join(dataDir, 'tls', 'key.pem'), host: null, fix, now });
}

interface Shown {
  /** PEM files. */
  readonly cert: string;
  readonly key: string;
  /** Must stand in the certificate; null where the server itself sees to that. */
  readonly host: string | null;
  readonly fix: string;
  readonly now: Date;
}

function judge({ ok, warning, failed }: Diagnose, { fix, now, ...shown }: Shown): Diagnosis {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(readFileSync(shown.cert));
    const key = createPrivateKey(readFileSync(shown.key));
    if (!certificate.checkPrivateKey(key)) return failed('Its private key is another one.', fix);
  } catch {
    return failed('The certificate or its private key cannot be read.', fix);
  }
  const { validFromDate, validToDate } = certificate;
  const day = validToDate.toISOString().slice(0, 10);
  if (validToDate <= now) return failed(`It ended on ${day}.`, fix);
  if (validFromDate > now) {
    return failed('It is not valid yet.', 'Set the clock of this machine, or wait.');
  }
  const { host } = shown;
  if (host !== null && !isFor(certificate, host)) return failed(`It is not for ${host}.`, fix);
  const isEnding = validToDate.getTime() - now.getTime() < soonDays * dayMs;
  return isEnding ? warning(`It ends on ${day}.`, fix) : ok(`Valid until ${day}.`);
}

function isFor(certificate: X509Certificate, hostOfUrl: string): boolean {
  const host = hostOfUrl.replace(/^\[|\]$/g, '');
  const found = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  return found !== undefined;
}
