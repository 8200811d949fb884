import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Settings } from '../../contract/config.ts';
import { diagnose, type Diagnosis } from './installation.ts';

type CertificateSettings = Pick<Settings, 'behindProxy' | 'publicUrl' | 'tlsCert' | 'tlsKey'>;

const dayMs = 86_400_000;
const soonDays = 14;
const fix = 'Renew the --tls-cert and --tls-key files. A running server reloads them.';

/** Checks the certificate's dates, key and names as clients do. Whether clients trust its issuer cannot be checked. */
export function checkCertificate(settings: CertificateSettings, now: Date): Diagnosis {
  const { ok, warning, failed } = diagnose('certificate');
  const { behindProxy, publicUrl, tlsCert, tlsKey } = settings;
  if (behindProxy) return ok('The proxy has its own certificate; this server needs none.');
  if (tlsCert === null || tlsKey === null) return ok('The server makes its own and renews it.');
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(readFileSync(tlsCert));
    const key = createPrivateKey(readFileSync(tlsKey));
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
  const host = publicUrl === null ? null : new URL(publicUrl).hostname;
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
