/** The server's certificate: the operator's own, or one from an authority in the data folder, made on the first run. */

import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { configInvalid } from '../contract/errors.ts';
import { replaceFile } from '../ports/files/files.ts';
import type { Issued } from './certificate.ts';

export interface TlsMaterial {
  /** PEM, leaf first. Our own authority comes last: clients may have pinned its fingerprint, and only see it here. */
  readonly cert: string;
  readonly key: string;
  /** Null for the operator's own certificate, whose authority clients already know. */
  readonly authority: { readonly path: string; readonly fingerprint256: string } | null;
}

const dayMs = 24 * 3600 * 1000;
const authorityName = 'forensics local authority';
const authorityDays = 3650;
// Apple's systems reject private leaf certificates above 825 days; browsers limit public ones to 398.
const leafDays = 365;
const renewBeforeDays = 30;
// Clients whose clock is slow must not reject a certificate issued a minute ago.
const clockSkewMs = 3600 * 1000;

/** @throws {ForensicsError} `config_invalid` if a file is missing, unreadable or expired, or the key does not match. */
export function readOwnTls(certPath: string, keyPath: string, now: Date): TlsMaterial {
  const readable = 'must specify a readable PEM file.';
  const cert = orInvalid(() => readFileSync(certPath, 'utf8'), `--tls-cert ${readable}`);
  const key = orInvalid(() => readFileSync(keyPath, 'utf8'), `--tls-key ${readable}`);
  const noCertificate = '--tls-cert must be a PEM certificate.';
  const certificate = orInvalid(() => new X509Certificate(cert), noCertificate);
  const noKey = '--tls-key must be a PEM private key.';
  const privateKey = orInvalid(() => createPrivateKey(key), noKey);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw configInvalid(
      'The --tls-key and --tls-cert files do not match; --tls-key must specify the private key of that certificate.',
    );
  }
  if (certificate.validToDate <= now) {
    throw configInvalid('The --tls-cert certificate has expired; renew it.');
  }
  return { cert, key, authority: null };
}

/** The TLS material in the data folder, created or renewed if necessary. `hosts` are added to the names of this machine. */
export async function ensureLocalTls(
  dataDir: string,
  hosts: readonly string[],
  now: Date,
): Promise<TlsMaterial> {
  const folder = join(dataDir, 'tls');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const authority = await ensureAuthority(folder, now);
  const machine = ['localhost', '127.0.0.1', '::1', hostname()];
  // Wildcard addresses are for listening; clients cannot connect to them. Names in a certificate must be plain ASCII.
  const names = [...new Set([...machine, ...hosts])].filter(
    (host) =>
      host !== '0.0.0.0' && host !== '::' && (isIP(host) > 0 || /^[0-9a-z.-]{1,253}$/i.test(host)),
  );
  const { certificate, privateKey } = await ensureLeaf(folder, authority, names, now);
  return {
    key: pemOf(privateKey),
    cert: `${certificate.toString()}\n${authority.certificate.toString()}`,
    authority: {
      path: join(folder, authorityFiles[0]),
      fingerprint256: authority.certificate.fingerprint256,
    },
  };
}

type PairFiles = readonly [cert: string, key: string];
const authorityFiles: PairFiles = ['ca.pem', 'ca-key.pem'];
const leafFiles: PairFiles = ['cert.pem', 'key.pem'];

async function ensureAuthority(folder: string, now: Date): Promise<Issued> {
  const stored = readPair(folder, authorityFiles);
  if (stored && daysLeft(stored.certificate, now) > leafDays) return stored;
  const { issueAuthority } = await makers();
  const made = await issueAuthority(authorityName, validity(authorityDays, now));
  return writePair(folder, authorityFiles, made);
}

/** Loaded only to create a certificate, because its library takes a tenth of the start-up time. */
const makers = () => import('./certificate.ts');

async function ensureLeaf(folder: string, authority: Issued, names: readonly string[], now: Date) {
  const stored = readPair(folder, leafFiles);
  if (stored !== null) {
    const { certificate } = stored;
    const isOfAuthority = certificate.verify(createPublicKey(authority.privateKey));
    const namesAll = names.every((name) =>
      isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name),
    );
    if (isOfAuthority && namesAll && daysLeft(certificate, now) >= renewBeforeDays) return stored;
  }
  const { issueLeaf } = await makers();
  return writePair(folder, leafFiles, await issueLeaf(authority, names, validity(leafDays, now)));
}

/** The key pair on disk, or null if it is missing or its halves do not match. */
function readPair(folder: string, [cert, key]: PairFiles): Issued | null {
  const [certPath, keyPath] = [join(folder, cert), join(folder, key)];
  if (!existsSync(certPath) || !existsSync(keyPath)) return null;
  return orInvalid(() => {
    const certificate = new X509Certificate(readFileSync(certPath));
    const privateKey = createPrivateKey(readFileSync(keyPath));
    return certificate.checkPrivateKey(privateKey) ? { certificate, privateKey } : null;
  }, 'The certificates in the data folder cannot be read; delete its "tls" folder and new ones will be created.');
}

// The key first, each by renaming. After a crash in between, they do not match, and new ones are created.
function writePair(folder: string, [cert, key]: PairFiles, made: Issued): Issued {
  replaceFile(join(folder, key), pemOf(made.privateKey), 0o600);
  replaceFile(join(folder, cert), made.certificate.toString(), 0o644);
  return made;
}

function pemOf(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function validity(days: number, now: Date) {
  return {
    notBefore: new Date(now.getTime() - clockSkewMs),
    notAfter: new Date(now.getTime() + days * dayMs),
  };
}

function daysLeft(certificate: X509Certificate, now: Date): number {
  return (certificate.validToDate.getTime() - now.getTime()) / dayMs;
}

function orInvalid<T>(read: () => T, message: string): T {
  try {
    return read();
  } catch (cause) {
    throw configInvalid(message, { cause });
  }
}
