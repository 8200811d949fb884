/** Every word of reports and of `analyze`, by language. The types ensure that no German one is missing. */

import type { Language } from '../../contract/vocabulary.ts';
import { speak, type Spoken } from '../text.ts';
import * as documentDe from './de/document.ts';
import * as findingsDe from './de/findings.ts';
import * as outcomeDe from './de/outcome.ts';
import * as provenanceDe from './de/provenance.ts';
import * as strengthDe from './de/strength.ts';
import * as documentEn from './en/document.ts';
import * as findingsEn from './en/findings.ts';
import * as outcomeEn from './en/outcome.ts';
import * as provenanceEn from './en/provenance.ts';
import * as strengthEn from './en/strength.ts';
import { labels } from './labels.ts';
import { terms } from './terms.ts';

const phrases = { ...labels, ...terms };
const english = { ...documentEn, ...findingsEn, ...outcomeEn, ...provenanceEn, ...strengthEn };
const german: typeof english = {
  ...documentDe,
  ...findingsDe,
  ...outcomeDe,
  ...provenanceDe,
  ...strengthDe,
};

export type Words = Spoken<typeof phrases> & typeof english;

const words: Readonly<Record<Language, Words>> = {
  en: joined(speak(phrases, 'en'), english),
  de: joined(speak(phrases, 'de'), german),
};

export function wordsIn(language: Language): Words {
  return words[language];
}

/** Both trees as one. A branch that is in both has the entries of both. */
function joined<One extends object, Other extends object>(one: One, other: Other): One & Other {
  const entries = Object.entries(other).map(([key, value]) => {
    const branch: unknown = Object(one)[key];
    return [key, typeof branch === 'object' && branch !== null ? joined(branch, value) : value];
  });
  return { ...one, ...Object.fromEntries(entries) };
}
