/** X.509 certificates of our own authority: ECDSA on P-256, limited to a TLS server on one machine (RFC 5280). */

// oxlint-disable-next-line import/no-unassigned-import -- @peculiar/x509 resolves its parts through decorators and stops at import without it
import 'reflect-metadata';
import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  webcrypto,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

export interface Issued {
  readonly certificate: X509Certificate;
  readonly privateKey: KeyObject;
}

interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
// The upper bound of a common name (RFC 5280, Appendix A.1).
const commonNameCharacters = 64;

/** A self-signed authority that may sign leaf certificates, but not other authorities. */
export async function issueAuthority(name: string, validity: Validity): Promise<Issued> {
  return issue(commonName(name), validity, null, [
    new x509.BasicConstraintsExtension(true, 0, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
  ]);
}

/** A certificate for a TLS server. `hosts` are host names and IP addresses, as in a URL but without brackets. */
export async function issueLeaf(
  authority: Issued,
  hosts: readonly string[],
  validity: Validity,
): Promise<Issued> {
  return issue(commonName(hosts[0] ?? 'localhost'), validity, authority, [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(hosts.map(alternativeName)),
    await x509.AuthorityKeyIdentifierExtension.create(await publicHalf(authority.privateKey)),
  ]);
}

function alternativeName(host: string): { type: 'ip' | 'dns'; value: string } {
  if (isIP(host) === 0) return { type: 'dns', value: host };
  // The URL parser converts every notation of an IPv6 address, including a dotted tail, into hexadecimal groups.
  const value = isIP(host) === 6 ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host;
  return { type: 'ip', value };
}

/** @param authority - null for a certificate that signs itself. */
async function issue(
  subject: x509.JsonName,
  validity: Validity,
  authority: Issued | null,
  extensions: readonly x509.Extension[],
): Promise<Issued> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pkcs8 = (authority?.privateKey ?? privateKey).export({ type: 'pkcs8', format: 'der' });
  const publicKey = await publicHalf(privateKey);
  const made = await x509.X509CertificateGenerator.create({
    issuer: authority ? new x509.X509Certificate(authority.certificate.raw).subjectName : subject,
    subject,
    publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']),
    signingAlgorithm: algorithm,
    ...validity,
    extensions: [...extensions, await x509.SubjectKeyIdentifierExtension.create(publicKey)],
  });
  return { certificate: new X509Certificate(Buffer.from(made.rawData)), privateKey };
}

async function publicHalf(privateKey: KeyObject): Promise<webcrypto.CryptoKey> {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify']);
}

// As a structure rather than text, so that a comma in a name stays a comma.
function commonName(name: string): x509.JsonName {
  return [{ CN: [name.slice(0, commonNameCharacters)] }];
}
