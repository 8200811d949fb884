/**
 * What the drawn pictures of the package gave when a model was released, kept beside it as `golden.json`: rounded, because
 * another processor adds in another order. Written by `node test/fixtures/write-golden.ts`.
 */

import { readFile } from 'node:fs/promises';
import type { Examination, ModelIdentity } from '../../engine/result.ts';

export interface Reading {
  readonly verdict: string;
  /** By name; probabilities and scores, 0..1. */
  readonly numbers: Readonly<Record<string, number>>;
}

export interface Golden {
  readonly model: ModelIdentity;
  /** The localisation model that looked at them beside it. */
  readonly locator: ModelIdentity;
  /** What they were measured with. */
  readonly environment: Readonly<Record<string, string>>;
  /** By name of the picture. */
  readonly pictures: Readonly<Record<string, Reading>>;
}

const digits = 4;

export function readingOf(examination: Omit<Examination, 'maps'>): Reading {
  const { decision, predictions, classUncertainties, classSimilarities, anomaly } = examination;
  const groups = { predictions, classUncertainties, classSimilarities };
  const named = Object.entries(groups).flatMap(([group, values]) =>
    Object.entries(values).map(([name, value]): [string, number] => [`${group}.${name}`, value]),
  );
  const scores = examination.findings.map(({ method, score }): [string, number] => [method, score]);
  const all = {
    fakeProbability: decision.fakeProbability,
    fakeUncertainty: decision.fakeUncertainty,
    changeProbability: examination.manipulation?.probability ?? 0,
    anomaly: anomaly.score ?? 0,
  };
  const numbers = [...Object.entries(all), ...named, ...scores];
  return {
    verdict: decision.resultClass,
    numbers: Object.fromEntries(numbers.map(([name, value]) => [name, rounded(value)])),
  };
}

/** The largest distance between two numbers of the same name; 1 where a name is missing on either side. */
export function distanceOf({ numbers: a }: Reading, { numbers: b }: Reading): number {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  const distances = names.map((name) => {
    const [one, other] = [a[name], b[name]];
    return one === undefined || other === undefined ? 1 : Math.abs(one - other);
  });
  return rounded(Math.max(0, ...distances));
}

/** Null for a model that brings none. `models/` lies beside `src/` and `dist/`, so one relative path serves both. */
export async function readGolden(modelId: string): Promise<Golden | null> {
  const file = new URL(`../../../models/${modelId}/golden.json`, import.meta.url);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  const golden: Golden = JSON.parse(text);
  return golden;
}

function rounded(value: number): number {
  return Number(value.toFixed(digits));
}
