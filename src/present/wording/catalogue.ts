/** Every word of reports and of `analyze`, by language, and how it writes numbers. No word can be missing. */

import type { Bilingual, Language } from '../../contract/vocabulary.ts';
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

const catalogue: Readonly<Record<Language, Words>> = {
  en: joined(speak(phrases, 'en'), english),
  de: joined(speak(phrases, 'de'), german),
};

export function wordsIn(language: Language): Words {
  return catalogue[language];
}

/** Both trees as one. A branch that is in both has the entries of both. */
function joined<One extends object, Other extends object>(one: One, other: Other): One & Other {
  const entries = Object.entries(other).map(([key, value]) => {
    const branch: unknown = Object(one)[key];
    return [key, typeof branch === 'object' && branch !== null ? joined(branch, value) : value];
  });
  return { ...one, ...Object.fromEntries(entries) };
}

// Numbers as readers of each language expect them, rounded in the same way in every language.

export type NumberWriter = ReturnType<typeof createNumberWriter>;

const minus = '−';

export function createNumberWriter(language: Language) {
  const words = wordsIn(language).labels.numbers;
  const { missing } = words;
  const point = (text: string) => text.replace('-', minus).replace('.', words.decimal);
  const inPercent = (share: number) => point((share * 100).toFixed(1));

  const bounded = (value: number, digits: number, below: string, above: string): string => {
    if (!Number.isFinite(value)) return missing;
    const smallest = 10 ** -digits;
    const text = value.toFixed(digits);
    if (value > 0 && Number(text) === 0) return `${below} ${point(smallest.toFixed(digits))}`;
    if (value < 1 && Number(text) === 1) return `${above} ${point((1 - smallest).toFixed(digits))}`;
    return point(Number(text) === 0 ? (0).toFixed(digits) : text);
  };
  const exact = (value: number) => bounded(value, 3, '<', '>');

  const count = (value: number): string => {
    if (!Number.isFinite(value)) return missing;
    const digits = Math.round(value).toString().replace('-', minus);
    return digits.replace(/\B(?=(\d{3})+$)/g, words.group);
  };

  return {
    /** 0..1 in a sentence, two digits: `0.93`, `below 0.01`. Never 0 or 1 unless it is exactly that. */
    score: (value: number) => bounded(value, 2, words.below, words.above),
    /** 0..1 in a table, three digits: `0.934`, `< 0.001`. */
    exact,
    /** A value with its standard deviation, in a table: `0.934 ± 0.021`. */
    withDeviation: (value: number, deviation: number) => `${exact(value)} ± ${exact(deviation)}`,
    /** Two values of 0..1 in a table: `0.761 to 0.937`. */
    range: (low: number, high: number) => `${exact(low)} ${words.to} ${exact(high)}`,
    /** Two measured shares as percentages, with the unit only once: `0.0 to 1.7%`. */
    rates: (low: number, high: number) =>
      Number.isFinite(low + high)
        ? `${inPercent(low)} ${words.to} ${inPercent(high)}${words.percent}`
        : missing,
    /** Any number, with at most four significant digits: `17`, `0.05213`. */
    plain: (value: number) => {
      if (!Number.isFinite(value)) return missing;
      if (Number.isInteger(value) || Math.abs(value) >= 1000) return count(value);
      return point(String(Number(value.toPrecision(4))));
    },
    /** With exactly `digits` decimal places: `0.93`. */
    fixed: (value: number, digits: number) =>
      Number.isFinite(value) ? point(value.toFixed(digits)) : missing,
    /** A whole number with groups: `1,234,567`. */
    count,
    /** A share from 0 to 1 as a whole-number percentage: `12%`. */
    percent: (share: number) =>
      Number.isFinite(share) ? `${count(share * 100)}${words.percent}` : missing,
    /** A measured share from 0 to 1 as a percentage with one decimal place: `1.8%`. */
    rate: (share: number) =>
      Number.isFinite(share) ? `${inPercent(share)}${words.percent}` : missing,
    /** To the second in UTC: `2026-03-01 12:00:00 UTC`, `01.03.2026, 12:00:00 UTC`. */
    time: (time: Date) => writeTime(`${time.toISOString().slice(0, 19)}Z`, words),
    /** A time from a file: ISO 8601, possibly followed by more text; any other text is left unchanged. */
    stated: (time: string) => writeTime(time, words),
  };
}

/** Writes the same statement in every language. */
export function inBoth(
  write: (words: Words, numbers: NumberWriter, language: Language) => string,
): Bilingual {
  const writeIn = (language: Language) =>
    write(wordsIn(language), createNumberWriter(language), language);
  return { en: writeIn('en'), de: writeIn('de') };
}

function writeTime(time: string, { date, dateTime }: Words['labels']['numbers']): string {
  const found = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)?(.*))?$/s.exec(time);
  if (found === null) return time;
  const [, year = '', month = '', day = '', clock, zone = ''] = found;
  const written = date(year, month, day);
  if (clock === undefined) return written;
  return `${dateTime(written, clock)}${zone === '' ? '' : ` ${zone === 'Z' ? 'UTC' : zone}`}`;
}
