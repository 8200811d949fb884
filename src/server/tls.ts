/**
 * The certificate that the server shows: the operator's own, or one of an authority that lives in the data folder and
 * is made on the first run. Private keys are readable by their owner alone.
 */

import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ForensicsError } from '../errors.ts';
import { replaceFile } from '../ports/files/atomic-write.ts';
import type { Issued } from './certificate.ts';

export interface TlsMaterial {
  /** PEM, leaf first. Our own authority comes last: clients may have pinned it by its fingerprint, which they can only see here. */
  readonly cert: string;
  readonly key: string;
  /** Null when the operator brought a certificate: then clients know its authority already. */
  readonly authority: { readonly path: string; readonly fingerprint256: string } | null;
}

const dayMs = 24 * 3600 * 1000;
const authorityName = 'forensics local authority';
const authorityDays = 3650;
// Apple's systems refuse private leaves above 825 days, browsers' own rules for public ones stand at 398.
const leafDays = 365;
const renewBeforeDays = 30;
// Clients whose clock runs behind must not refuse a certificate that was made a minute ago.
const clockSkewMs = 3600 * 1000;

/** @throws {ForensicsError} `config_invalid` when a file is missing, unreadable, expired or of another key. */
export function readOwnTls(certPath: string, keyPath: string, now: Date): TlsMaterial {
  const cert = readPem(certPath, '--tls-cert');
  const key = readPem(keyPath, '--tls-key');
  const certificate = parsed(() => new X509Certificate(cert), '--tls-cert', 'PEM certificate');
  const privateKey = parsed(() => createPrivateKey(key), '--tls-key', 'PEM private key');
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new ForensicsError(
      'config_invalid',
      '--tls-key must be the private key of --tls-cert; these two do not belong together.',
    );
  }
  if (certificate.validToDate <= now) {
    throw new ForensicsError('config_invalid', '--tls-cert has expired; give a renewed one.');
  }
  return { cert, key, authority: null };
}

/** Material of the data folder, made or renewed where needed. `hosts` are added to the names of this machine. */
export async function ensureLocalTls(
  dataDir: string,
  hosts: readonly string[],
  now: Date,
): Promise<TlsMaterial> {
  const folder = join(dataDir, 'tls');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const authority = await ensureAuthority(folder, now);
  const machine = ['localhost', '127.0.0.1', '::1', hostname()];
  // Wildcard addresses are for listening; clients cannot connect to them. A name must be plain ASCII to stand in a certificate.
  const names = [...new Set([...machine, ...hosts])].filter(
    (host) =>
      host !== '0.0.0.0' && host !== '::' && (isIP(host) > 0 || /^[0-9a-z.-]{1,253}$/i.test(host)),
  );
  const leaf =
    readLeaf(folder, authority, names, now) ?? (await makeLeaf(folder, authority, names, now));
  return {
    key: leaf.key,
    cert: `${leaf.cert}\n${authority.certificate.toString()}`,
    authority: {
      path: join(folder, 'ca.pem'),
      fingerprint256: authority.certificate.fingerprint256,
    },
  };
}

async function ensureAuthority(folder: string, now: Date): Promise<Issued> {
  const certPath = join(folder, 'ca.pem');
  const keyPath = join(folder, 'ca-key.pem');
  const stored = readPair(certPath, keyPath);
  if (stored && daysLeft(stored.certificate, now) > leafDays) return stored;
  const { issueAuthority } = await makers();
  const made = await issueAuthority(authorityName, validity(authorityDays, now));
  writePair({ certPath, keyPath }, made.certificate.toString(), made.privateKey);
  return made;
}

/** Loaded only to make one: its library is a tenth of the start. */
const makers = () => import('./certificate.ts');

function readLeaf(
  folder: string,
  authority: Issued,
  names: readonly string[],
  now: Date,
): { cert: string; key: string } | null {
  const certPath = join(folder, 'cert.pem');
  const keyPath = join(folder, 'key.pem');
  const stored = readPair(certPath, keyPath);
  if (!stored) return null;
  const { certificate } = stored;
  const isOfAuthority = certificate.verify(createPublicKey(authority.privateKey));
  const namesAll = names.every((name) =>
    isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name),
  );
  if (!isOfAuthority || !namesAll || daysLeft(certificate, now) < renewBeforeDays) return null;
  return { cert: readFileSync(certPath, 'utf8'), key: readFileSync(keyPath, 'utf8') };
}

async function makeLeaf(
  folder: string,
  authority: Issued,
  names: readonly string[],
  now: Date,
): Promise<{ cert: string; key: string }> {
  const { issueLeaf } = await makers();
  const made = await issueLeaf(authority, names, validity(leafDays, now));
  const cert = made.certificate.toString();
  const paths = { certPath: join(folder, 'cert.pem'), keyPath: join(folder, 'key.pem') };
  return { cert, key: writePair(paths, cert, made.privateKey) };
}

/** The pair on disk, or null when it is not there or its two halves do not belong together. */
function readPair(certPath: string, keyPath: string): Issued | null {
  if (!existsSync(certPath) || !existsSync(keyPath)) return null;
  try {
    const certificate = new X509Certificate(readFileSync(certPath));
    const privateKey = createPrivateKey(readFileSync(keyPath));
    return certificate.checkPrivateKey(privateKey) ? { certificate, privateKey } : null;
  } catch (error) {
    throw new ForensicsError(
      'config_invalid',
      'The certificates in the data folder cannot be read; remove its folder "tls" to have new ones made.',
      { cause: error },
    );
  }
}

// The key first, each through a rename: a crash in between leaves two halves that do not match, and the next start makes new ones.
function writePair(
  paths: { readonly certPath: string; readonly keyPath: string },
  cert: string,
  privateKey: KeyObject,
): string {
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  replaceFile(paths.keyPath, key, 0o600);
  replaceFile(paths.certPath, cert, 0o644);
  return key;
}

function validity(days: number, now: Date): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: new Date(now.getTime() - clockSkewMs),
    notAfter: new Date(now.getTime() + days * dayMs),
  };
}

function daysLeft(certificate: X509Certificate, now: Date): number {
  return (certificate.validToDate.getTime() - now.getTime()) / dayMs;
}

function readPem(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ForensicsError('config_invalid', `${flag} must be a PEM file that can be read.`, {
      cause: error,
    });
  }
}

function parsed<T>(parse: () => T, flag: string, what: string): T {
  try {
    return parse();
  } catch (error) {
    throw new ForensicsError('config_invalid', `${flag} must be a ${what}.`, { cause: error });
  }
}
