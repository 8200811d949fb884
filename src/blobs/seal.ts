/**
 * Secrets at rest: AES-256-GCM, bound to the place that they are kept in, so that a copy opens nowhere else. What a
 * sealed text means is not this file's matter.
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

// The sealed form: one byte of format, the nonce, the text, the tag.
const format = 1;
const nonceBytes = 12;
const tagBytes = 16;

export interface Seal {
  seal(text: string, binding: string): Buffer;
  /** @throws {Error} when it was sealed under another key or binding, or altered. */
  open(sealed: Buffer, binding: string): string;
}

/** @throws {RangeError} unless the key has 32 bytes. */
export function createSeal(key: Uint8Array): Seal {
  if (key.length !== 32) throw new RangeError('AES-256 takes a key of 32 bytes.');
  return {
    seal(text, binding) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(binding));
      const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(format), nonce, hidden, cipher.getAuthTag()]);
    },
    open(sealed, binding) {
      if (sealed[0] !== format) throw new Error('The sealed form is unknown.');
      const nonce = sealed.subarray(1, 1 + nonceBytes);
      const hidden = sealed.subarray(1 + nonceBytes, sealed.length - tagBytes);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(binding))
        .setAuthTag(sealed.subarray(sealed.length - tagBytes));
      return Buffer.concat([decipher.update(hidden), decipher.final()]).toString('utf8');
    },
  };
}
