/** Opens the tables of phrases, labels and prose of a language, and chooses among sentences that say the same. */

import type { Language } from '../../contract/vocabulary.ts';
import { findings as findingsDe } from './de/findings.ts';
import { labelsDe } from './de/labels.ts';
import { phrasesDe } from './de/phrases.ts';
import { proseDe } from './de/prose.ts';
import { provenance as provenanceDe } from './de/provenance.ts';
import { findings as findingsEn } from './en/findings.ts';
import { labelsEn } from './en/labels.ts';
import { phrasesEn } from './en/phrases.ts';
import { proseEn } from './en/prose.ts';
import { provenance as provenanceEn } from './en/provenance.ts';
import type { Labels } from './labels.ts';
import type { Phrases } from './phrases.ts';
import type { Prose } from './prose.ts';

const phrases: Readonly<Record<Language, Phrases>> = { en: phrasesEn, de: phrasesDe };
const labels: Readonly<Record<Language, Labels>> = { en: labelsEn, de: labelsDe };
const prose: Readonly<Record<Language, Prose>> = { en: proseEn, de: proseDe };

const words = {
  en: { findings: findingsEn, provenance: provenanceEn },
  de: { findings: findingsDe, provenance: provenanceDe },
} as const satisfies Record<Language, object>;

export type Words = (typeof words)['en'];

export function wordsIn(language: Language): Words {
  return words[language];
}

export function phrasesOf(language: Language): Phrases {
  return phrases[language];
}

export function labelsOf(language: Language): Labels {
  return labels[language];
}

export function proseOf(language: Language): Prose {
  return prose[language];
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
