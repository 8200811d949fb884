/** Phrases in both languages, side by side, and the words of one language. */

import type { Language } from '../../contract/vocabulary.ts';

export type Phrase<T> = readonly [en: T, de: T];

export function say<T>(en: T, de: NoInfer<T>): Phrase<T> {
  return [en, de];
}

/** The text with the values of its gaps, such as `{name}`. */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (gap, name: string) => String(values[name] ?? gap));
}

type Gaps<T extends string> = T extends `${string}{${string}}${infer Rest}`
  ? [string | number, ...Gaps<Rest>]
  : [];

/** A phrase with gaps, whose values are given in the order of the English text. */
export function fill<const T extends string>(en: T, de: string) {
  const names = [...en.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const filling =
    (text: string) =>
    (...values: Gaps<T>) =>
      fillIn(text, Object.fromEntries(names.map((name, at) => [name, values[at]!])));
  return say(filling(en), filling(de));
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
