import { randomBytes } from 'node:crypto';

/**
 * A new id: 24 lower-case hex characters, 4 bytes of seconds since 1970 and 8 random bytes. Ids sort roughly by age; they
 * identify records and are never secrets.
 */
export function newId(at: Date = new Date()): string {
  const seconds = Buffer.alloc(4);
  seconds.writeUInt32BE(Math.floor(at.getTime() / 1000) >>> 0);
  return seconds.toString('hex') + randomBytes(8).toString('hex');
}

/**
 * Text as the search compares it: ignores case in all of Unicode ("ÄRGER" and "ärger", "STRASSE" and "Straße") and whether
 * accents are composed or decomposed. Not a full collation: accents themselves count.
 */
export function foldText(text: string): string {
  // To upper case first: only that turns ß into SS. Both lower-case Greek sigmas have one capital, but toLowerCase chooses
  // between them by position, so the final one is replaced.
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** Length as people and JSON Schema count it: code points, not UTF-16 units. */
export function characterCount(text: string): number {
  return Array.from(text).length;
}
