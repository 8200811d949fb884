/** Phrases in both languages, side by side, and the words of one language. */

import type { Language } from '../../contract/vocabulary.ts';

export type Phrase<T> = readonly [en: T, de: T];

export function say<T>(en: T, de: NoInfer<T>): Phrase<T> {
  return [en, de];
}

type Spoken<T> = T extends Phrase<infer P> ? P : { readonly [K in keyof T]: Spoken<T[K]> };

/** The same tree with one language in place of each phrase. */
export function speak<T extends object>(phrases: T, language: Language): Spoken<T> {
  const entries = Object.entries(phrases).map(([key, value]) => [
    key,
    Array.isArray(value) ? value[language === 'en' ? 0 : 1] : speak(value, language),
  ]);
  return Object.fromEntries(entries);
}
