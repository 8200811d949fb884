/**
 * Writes X.509 certificates for our own authority: ECDSA on P-256 with SHA-256, version 3, in DER. Only what a TLS
 * server of one machine needs; reading and checking is left to `node:crypto`.
 *
 * @see RFC 5280 (profile), RFC 5480 (elliptic curve keys), ITU-T X.690 (DER).
 */

import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';

export interface Issued {
  readonly certificate: Buffer;
  readonly privateKey: KeyObject;
}

export interface Authority extends Issued {
  readonly name: string;
}

interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** An authority that signs its own certificate and may sign leaves, but no further authority. */
export function issueAuthority(name: string, validity: Validity): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyId = keyIdentifier(publicKey);
  const extensions = [
    extension('2.5.29.19', true, sequence(boolean(true), integer(Buffer.of(0)))),
    extension('2.5.29.15', true, bitString(Buffer.of(0b0000_0110), 1)),
    extension('2.5.29.14', false, octetString(keyId)),
  ];
  const certificate = signed(
    { issuer: name, subject: name, publicKey, validity, extensions },
    privateKey,
  );
  return { name, certificate, privateKey };
}

/** A certificate for a TLS server. `hosts` are host names and IP addresses, as they stand in a URL without brackets. */
export function issueLeaf(
  authority: Authority,
  hosts: readonly string[],
  validity: Validity,
): Issued {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const authorityKeyId = keyIdentifier(createPublicKey(authority.privateKey));
  const extensions = [
    extension('2.5.29.19', true, sequence()),
    extension('2.5.29.15', true, bitString(Buffer.of(0b1000_0000), 7)),
    extension('2.5.29.37', false, sequence(oid('1.3.6.1.5.5.7.3.1'))),
    extension('2.5.29.17', false, sequence(...hosts.map(alternativeName))),
    extension('2.5.29.14', false, octetString(keyIdentifier(publicKey))),
    extension('2.5.29.35', false, sequence(tlv(0x80, authorityKeyId))),
  ];
  const subject = hosts[0] ?? 'localhost';
  const certificate = signed(
    { issuer: authority.name, subject, publicKey, validity, extensions },
    authority.privateKey,
  );
  return { certificate, privateKey };
}

export function toPem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

interface ToBeSigned {
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly validity: Validity;
  readonly extensions: readonly Buffer[];
}

function signed(content: ToBeSigned, signer: KeyObject): Buffer {
  const algorithm = sequence(oid('1.2.840.10045.4.3.2')); // ecdsa-with-SHA256
  const toBeSigned = sequence(
    tlv(0xa0, integer(Buffer.of(2))),
    integer(serialNumber()),
    algorithm,
    commonName(content.issuer),
    sequence(time(content.validity.notBefore), time(content.validity.notAfter)),
    commonName(content.subject),
    content.publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...content.extensions)),
  );
  return sequence(toBeSigned, algorithm, bitString(sign('sha256', toBeSigned, signer)));
}

// 127 random bits: positive, and never zero because the second highest bit is set (RFC 5280, 4.1.2.2).
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

// Method 1 of RFC 5280, 4.2.1.2: SHA-1 of the public point. It names the key and protects nothing.
function keyIdentifier(publicKey: KeyObject): Buffer {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const uncompressedPointBytes = 65;
  return createHash('sha1').update(spki.subarray(-uncompressedPointBytes)).digest();
}

function commonName(name: string): Buffer {
  // 64 characters is the upper bound of a common name (RFC 5280, Appendix A.1).
  const value = tlv(0x0c, Buffer.from(name.slice(0, 64), 'utf8'));
  return sequence(tlv(0x31, sequence(oid('2.5.4.3'), value)));
}

function alternativeName(host: string): Buffer {
  return isIP(host) === 0
    ? tlv(0x82, Buffer.from(host, 'ascii'))
    : tlv(0x87, isIPv4(host) ? ipv4Bytes(host) : ipv6Bytes(host));
}

function ipv4Bytes(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

function ipv6Bytes(address: string): Buffer {
  // The URL parser turns every spelling, dotted tail included, into hexadecimal groups.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const first = groups(head);
  const last = groups(tail ?? '');
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  const words = [...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16));
  return Buffer.from(words.flatMap((word) => [word >> 8, word & 0xff]));
}

function groups(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  return sequence(oid(id), ...(isCritical ? [boolean(true)] : []), octetString(value));
}

function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  if (length < 0x100) return Buffer.of(0x81, length);
  if (length < 0x1_0000) return Buffer.of(0x82, length >> 8, length & 0xff);
  throw new RangeError('A certificate of more than 64 KiB is not written here.');
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tlv(0x30, ...parts);
}

function integer(bytes: Buffer): Buffer {
  return tlv(0x02, bytes);
}

function boolean(value: boolean): Buffer {
  return tlv(0x01, Buffer.of(value ? 0xff : 0));
}

function octetString(bytes: Buffer): Buffer {
  return tlv(0x04, bytes);
}

function bitString(bytes: Buffer, unusedBits = 0): Buffer {
  return tlv(0x03, Buffer.of(unusedBits), bytes);
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}

// Two-digit years up to 2049, four digits after (RFC 5280, 4.1.2.5).
function time(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replace(/\D/g, '')}Z`;
  return date.getUTCFullYear() < 2050
    ? tlv(0x17, Buffer.from(digits.slice(2), 'ascii'))
    : tlv(0x18, Buffer.from(digits, 'ascii'));
}
