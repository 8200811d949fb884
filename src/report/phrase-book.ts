/** Opens the table of phrases of a language, and chooses among sentences that say the same. */

import type { Language } from './language.ts';
import type { Phrases } from './phrases.ts';
import { phrasesDe } from './phrases-de.ts';
import { phrasesEn } from './phrases-en.ts';

const books: Readonly<Record<Language, Phrases>> = { en: phrasesEn, de: phrasesDe };

export function phrasesOf(language: Language): Phrases {
  return books[language];
}

/**
 * One of several sentences that say the same. FNV-1a (32 bit) of `seed:slot`, folded to 16 bits, modulo their number:
 * the seed changes the wording, never a figure, and each slot varies on its own.
 *
 * @see G. Fowler, L. C. Noll, K.-P. Vo, the FNV non-cryptographic hash, for offset basis and prime.
 */
export function choose<T>(variants: readonly T[], seed: number, slot: string): T {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${seed}:${slot}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return variants[((hash >>> 16) ^ (hash & 0xffff)) % variants.length]!;
}
