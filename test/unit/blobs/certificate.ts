/** A self-signed certificate for 127.0.0.1, good for an hour: just enough of X.509 (RFC 5280) for a test server. */

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export function makeCertificate(): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(0x30, oid('2a8648ce3d040302')); // ecdsa-with-SHA256
  const name = der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from('127.0.0.1')))));
  const addressName = der(0x30, der(0x87, Buffer.from([127, 0, 0, 1])));
  const alternative = der(0x30, oid('551d11'), der(0x04, addressName));
  const toBeSigned = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    der(0x30, time(-60_000), time(3_600_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, alternative)),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const bits = der(0x03, Buffer.concat([Buffer.from([0]), signature]));
  const lines = der(0x30, toBeSigned, algorithm, bits).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 255]), content]);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function time(offsetMs: number): Buffer {
  const text = new Date(Date.now() + offsetMs).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${text}Z`));
}
