import type { Language } from '../contract/vocabulary.ts';

/** One statement in every report language. */
export type Bilingual = Readonly<Record<Language, string>>;

/** Writes the same statement in every language. */
export function inBoth(write: (language: Language) => string): Bilingual {
  return { en: write('en'), de: write('de') };
}
