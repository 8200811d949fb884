/** Numbers as a reader of each language expects them, rounded alike in all languages. */

import type { Language } from '../contract/vocabulary.ts';
import { wordsIn } from './wording/catalogue.ts';

export interface NumberWriter {
  /** 0..1 in a sentence, two digits: `0.93`, `below 0.01`. Never 0 or 1 unless it is exactly that. */
  readonly score: (value: number) => string;
  /** 0..1 in a table, three digits: `0.934`, `< 0.001`. */
  readonly exact: (value: number) => string;
  /** A value with its standard deviation, in a table: `0.934 ± 0.021`. */
  readonly withDeviation: (value: number, deviation: number) => string;
  /** Two values of 0..1 in a table: `0.761 to 0.937`. */
  readonly range: (low: number, high: number) => string;
  /** Two measured shares in percent, the unit once: `0.0 to 1.7 %`. */
  readonly rates: (low: number, high: number) => string;
  /** Any number, as precise as it is and no more than four significant digits: `17`, `0.05213`. */
  readonly plain: (value: number) => string;
  /** With exactly `digits` behind the point: `0.93`. */
  readonly fixed: (value: number, digits: number) => string;
  /** A whole number with groups: `1,234,567`. */
  readonly count: (value: number) => string;
  /** A share of 0..1 as whole percent: `12 %`. */
  readonly percent: (share: number) => string;
  /** A measured share of 0..1 in percent, one digit behind the point: `1.8 %`. */
  readonly rate: (share: number) => string;
  /** To the second in UTC: `2026-03-01 12:00:00 UTC`, `01.03.2026, 12:00:00 UTC`. */
  readonly time: (time: Date) => string;
  /** What a file states, as ISO 8601, with what stands behind the second; anything else as it is. */
  readonly stated: (time: string) => string;
}

const minus = '−';

export function createNumberWriter(language: Language): NumberWriter {
  const { decimal, group, below, above, missing, to, date, dateTime } =
    wordsIn(language).labels.numbers;

  function point(text: string): string {
    return text.replace('-', minus).replace('.', decimal);
  }

  function bounded(value: number, digits: number, words: { below: string; above: string }): string {
    if (!Number.isFinite(value)) return missing;
    const smallest = 10 ** -digits;
    const text = value.toFixed(digits);
    if (value > 0 && Number(text) === 0) return `${words.below} ${point(smallest.toFixed(digits))}`;
    if (value < 1 && Number(text) === 1) {
      return `${words.above} ${point((1 - smallest).toFixed(digits))}`;
    }
    return point(Number(text) === 0 ? (0).toFixed(digits) : text);
  }

  function exact(value: number): string {
    return bounded(value, 3, { below: '<', above: '>' });
  }

  function count(value: number): string {
    if (!Number.isFinite(value)) return missing;
    return Math.round(value)
      .toString()
      .replace('-', minus)
      .replace(/\B(?=(\d{3})+$)/g, group);
  }

  function inPercent(share: number): string {
    return point((share * 100).toFixed(1));
  }

  function stated(time: string): string {
    const found = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)?(.*))?$/s.exec(time);
    if (found === null) return time;
    const [, year = '', month = '', day = '', clock, zone = ''] = found;
    const written = date(year, month, day);
    if (clock === undefined) return written;
    return `${dateTime(written, clock)}${zone === '' ? '' : ` ${zone === 'Z' ? 'UTC' : zone}`}`;
  }

  return {
    exact,
    count,
    fixed: (value, digits) => (Number.isFinite(value) ? point(value.toFixed(digits)) : missing),
    score: (value) => bounded(value, 2, { below, above }),
    withDeviation: (value, deviation) => `${exact(value)} ± ${exact(deviation)}`,
    range: (low, high) => `${exact(low)} ${to} ${exact(high)}`,
    rates: (low, high) =>
      Number.isFinite(low + high) ? `${inPercent(low)} ${to} ${inPercent(high)} %` : missing,
    plain(value) {
      if (!Number.isFinite(value)) return missing;
      if (Number.isInteger(value) || Math.abs(value) >= 1000) return count(value);
      return point(String(Number(value.toPrecision(4))));
    },
    percent: (share) => (Number.isFinite(share) ? `${count(share * 100)} %` : missing),
    rate: (share) => (Number.isFinite(share) ? `${inPercent(share)} %` : missing),
    time: (time) => stated(`${time.toISOString().slice(0, 19)}Z`),
    stated,
  };
}
