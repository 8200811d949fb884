import { randomBytes } from 'node:crypto';

/**
 * A new object id: 24 lower-case hex characters, 4 bytes of seconds since 1970 and 8 random bytes. It orders roughly
 * by age and carries 64 random bits; it names a record and is never a secret.
 */
export function newId(at: Date = new Date()): string {
  const seconds = Buffer.alloc(4);
  seconds.writeUInt32BE(Math.floor(at.getTime() / 1000) >>> 0);
  return seconds.toString('hex') + randomBytes(8).toString('hex');
}
