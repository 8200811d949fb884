import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Settings } from '../../contract/config.ts';
import { type Diagnose, diagnose, type Diagnosis } from './installation.ts';

type CertificateSettings = Pick<
  Settings,
  'behindProxy' | 'dataDir' | 'publicUrl' | 'tlsCert' | 'tlsKey'
>;

const dayMs = 86_400_000;
/** Number of days before expiry from which a certificate is reported. */
const soonDays = 14;

/** Checks the certificate's dates, key and names as clients do. Whether clients trust its issuer cannot be checked. */
export function checkCertificate(settings: CertificateSettings, now: Date): Diagnosis {
  const about = diagnose('certificate');
  const { behindProxy, dataDir, publicUrl, tlsCert, tlsKey } = settings;
  if (behindProxy) return about.ok('The proxy has its own certificate; this server needs none.');
  if (tlsCert !== null && tlsKey !== null) {
    const fix = 'Renew the --tls-cert and --tls-key files. A running server reloads them.';
    const host = publicUrl === null ? null : new URL(publicUrl).hostname;
    return judge(about, { cert: tlsCert, key: tlsKey, host, fix, now });
  }
  const cert = join(dataDir, 'tls', 'cert.pem');
  if (!existsSync(cert)) return about.ok('The first start of the server creates one.');
  const fix = 'Restart "forensics serve": it creates a new one when needed.';
  return judge(about, { cert, key: join(dataDir, 'tls', 'key.pem'), host: null, fix, now });
}

interface Shown {
  /** In PEM format. */
  readonly cert: string;
  readonly key: string;
  /** Host name the certificate must contain; null if the server itself ensures that. */
  readonly host: string | null;
  readonly fix: string;
  readonly now: Date;
}

function judge({ ok, warning, failed }: Diagnose, { fix, now, ...shown }: Shown): Diagnosis {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(readFileSync(shown.cert));
    const key = createPrivateKey(readFileSync(shown.key));
    if (!certificate.checkPrivateKey(key)) return failed('Its private key does not match it.', fix);
  } catch {
    return failed('The certificate or its private key cannot be read.', fix);
  }
  const { validFromDate, validToDate } = certificate;
  const day = validToDate.toISOString().slice(0, 10);
  if (validToDate <= now) return failed(`It expired on ${day}.`, fix);
  if (validFromDate > now) {
    return failed('It is not valid yet.', "Set this machine's clock, or wait.");
  }
  const { host } = shown;
  if (host !== null && !isFor(certificate, host))
    return failed(`It is not valid for ${host}.`, fix);
  const isEnding = validToDate.getTime() - now.getTime() < soonDays * dayMs;
  return isEnding ? warning(`It expires on ${day}.`, fix) : ok(`Valid until ${day}.`);
}

function isFor(certificate: X509Certificate, hostOfUrl: string): boolean {
  const host = hostOfUrl.replace(/^\[|\]$/g, '');
  const found = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  return found !== undefined;
}
