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

/**
 * Text as the search compares it: upper and lower case alike in all of Unicode ("ÄRGER" and "ärger", "STRASSE" and
 * "Straße"), composed and decomposed accents alike. Not a full collation: accents themselves still count.
 */
export function foldText(text: string): string {
  // Up first, then down: only the way over capitals makes ß into ss. Both Greek small sigmas have one capital, but
  // going down picks the final one by position, so it is levelled by hand.
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** Length as a person and as JSON Schema counts it: code points, not UTF-16 units. */
export function characterCount(text: string): number {
  return Array.from(text).length;
}
