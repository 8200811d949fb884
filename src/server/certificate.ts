/**
 * Issues X.509 certificates for our own authority: ECDSA on P-256 with SHA-256, only what a TLS server of one machine
 * needs (RFC 5280). Reading and checking is left to `node:crypto`.
 */

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
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  type Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate as ReadableCertificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { TlsMaterial } from './tls.ts';

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

/** An authority that signs its own certificate and may sign leaves, but no further authority. */
export async function issueAuthority(name: string, validity: Validity): Promise<Issued> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const named = commonName(name);
  return issue({ issuer: named, subject: named, privateKey, signer: privateKey, validity }, [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ]);
}

/** A certificate for a TLS server. `hosts` are host names and IP addresses, as they stand in a URL without brackets. */
export async function issueLeaf(
  authority: Issued,
  hosts: readonly string[],
  validity: Validity,
): Promise<Issued> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = new ReadableCertificate(authority.certificate.raw).subjectName;
  const subject = commonName(hosts[0] ?? 'localhost');
  const names = hosts.map(alternativeName);
  return issue({ issuer, subject, privateKey, signer: authority.privateKey, validity }, [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(names),
    await AuthorityKeyIdentifierExtension.create(await publicHalf(authority.privateKey)),
  ]);
}

function alternativeName(host: string): { type: 'ip' | 'dns'; value: string } {
  if (isIP(host) === 0) return { type: 'dns', value: host };
  // The URL parser turns every spelling of an IPv6 address, dotted tail included, into hexadecimal groups.
  const value = isIP(host) === 6 ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host;
  return { type: 'ip', value };
}

interface Request {
  readonly issuer: Name | JsonName;
  readonly subject: JsonName;
  readonly privateKey: KeyObject;
  readonly signer: KeyObject;
  readonly validity: Validity;
}

async function issue(request: Request, extensions: readonly Extension[]): Promise<Issued> {
  const publicKey = await publicHalf(request.privateKey);
  const made = await X509CertificateGenerator.create({
    issuer: request.issuer,
    subject: request.subject,
    publicKey,
    signingKey: await signingHalf(request.signer),
    signingAlgorithm: algorithm,
    ...request.validity,
    extensions: [...extensions, await SubjectKeyIdentifierExtension.create(publicKey)],
  });
  return {
    certificate: new X509Certificate(Buffer.from(made.rawData)),
    privateKey: request.privateKey,
  };
}

async function publicHalf(privateKey: KeyObject): Promise<webcrypto.CryptoKey> {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify']);
}

async function signingHalf(privateKey: KeyObject): Promise<webcrypto.CryptoKey> {
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
}

// As a structure, not as text: a comma in a name must stay a comma.
function commonName(name: string): JsonName {
  return [{ CN: [name.slice(0, commonNameCharacters)] }];
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
