/** Ed25519 (RFC 8032) signatures, and how a key is named: by the SHA-256 of its public half. */

import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

export interface PublicKey {
  /** SubjectPublicKeyInfo as PEM, one line end at the end. */
  readonly pem: string;
  /** SHA-256 of SubjectPublicKeyInfo in DER, lower-case hex. */
  readonly fingerprint: string;
}

export interface Signer extends PublicKey {
  /** 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
}

export function createSigner(privateKey: KeyObject): Signer {
  return {
    ...publicKeyOf(createPublicKey(privateKey)),
    sign: (bytes) => sign(null, bytes, privateKey),
  };
}

/** The key in a PEM text; null for what is no public Ed25519 key, and for a private one: nobody should hand that on. */
export function readPublicKey(pem: string): PublicKey | null {
  if (/PRIVATE KEY/.test(pem)) return null;
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? publicKeyOf(key) : null;
  } catch {
    return null;
  }
}

export function isSignedBy(
  { pem }: PublicKey,
  { bytes, signature }: { readonly bytes: Uint8Array; readonly signature: Uint8Array },
): boolean {
  return verify(null, bytes, pem, signature);
}

export function publicKeyOf(key: KeyObject): PublicKey {
  const der = key.export({ type: 'spki', format: 'der' });
  return {
    pem: key.export({ type: 'spki', format: 'pem' }).toString(),
    fingerprint: createHash('sha256').update(der).digest('hex'),
  };
}
