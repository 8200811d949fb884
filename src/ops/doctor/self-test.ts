/** Examines the package's synthetic pictures like any other, and compares the numbers with the golden ones. */

import { readFile } from 'node:fs/promises';
import { shippedTrialImages } from '../../service/first-run.ts';
import { defaultSeed } from '../../contract/vocabulary.ts';
import {
  type Examination,
  isSameModel,
  type ModelIdentity,
  modelName,
} from '../../detectors/result.ts';
import { createSandbox } from '../../examiner/sandbox.ts';
import { diagnose, type Diagnosis } from './installation.ts';

// The golden numbers have four digits; two kinds of processor differed by up to 0.0005.
const sameUpTo = 0.001;
// The largest spread of one picture's probability over its passes is 0.5; this is a tenth of it.
const soundUpTo = 0.05;

export const reinstall = 'Reinstall forensics on this machine: npm i -g forensics';

type Examined = Awaited<ReturnType<typeof examineShipped>>;

/** @throws {ForensicsError} as an examination does. */
export async function examineShipped(modelsDir: string | null) {
  const sandbox = createSandbox({ modelsDir, poolSize: 1 });
  const options = { model: null, decisionStrategy: 'default', seed: defaultSeed } as const;
  try {
    const examinations = await Promise.all(
      Object.values(shippedTrialImages).map((path) =>
        sandbox.examine({ source: { path }, options }),
      ),
    );
    const names = Object.keys(shippedTrialImages);
    const readings = names.map((name, at) => [name, toReading(examinations[at]!)] as const);
    return { readings: Object.fromEntries(readings), examination: examinations[0]! };
  } finally {
    await sandbox.close();
  }
}

/** @param golden - null for a model without golden numbers. */
export function judgeReadings(found: Examined, golden: Golden | null): Diagnosis {
  const { ok, warning, failed } = diagnose('self-test');
  const { model, locator } = found.examination;
  const names = [model, ...(locator === null ? [] : [locator])].map(modelName).join(' and ');
  const of = `${Object.keys(found.readings).length} synthetic pictures were examined with ${names}`;
  if (golden === null) return ok(`${of}; it has no golden numbers to compare with.`);
  const isSame = isSameModel(model, golden.model);
  if (!isSame || locator === null || !isSameModel(locator, golden.locator)) {
    return warning(`${of}, but its golden numbers were measured with other models.`, reinstall);
  }
  const pairs = Object.entries(golden.pictures).map(
    ([name, expected]) => [expected, found.readings[name] ?? nothing] as const,
  );
  const distance = Math.max(...pairs.map(([one, other]) => measureDistance(one, other)));
  const hasSameVerdicts = pairs.every(([expected, { verdict }]) => expected.verdict === verdict);
  if (hasSameVerdicts && distance <= sameUpTo) return ok(`${of}: the numbers match the release.`);
  const message = `${of}: the numbers differ by up to ${distance} from the release`;
  if (!hasSameVerdicts || distance > soundUpTo) {
    return failed(`${message}${hasSameVerdicts ? '' : ', and so do the verdicts'}.`, reinstall);
  }
  return warning(
    `${message}; the verdicts are the same.`,
    'Compare numbers only with those from similar machines; "forensics reproduce" shows how far apart two results are.',
  );
}

const nothing: Reading = { verdict: 'none', numbers: {} };

/** Of a model release (`golden.json`), rounded, because processors add in different orders. From `bin/golden.ts`. */
interface Reading {
  readonly verdict: string;
  /** Probabilities and scores by name, each 0..1. */
  readonly numbers: Readonly<Record<string, number>>;
}

export interface Golden {
  readonly model: ModelIdentity;
  readonly locator: ModelIdentity;
  readonly environment: Readonly<Record<string, string>>;
  readonly pictures: Readonly<Record<string, Reading>>;
}

const digits = 4;

function toReading(examination: Omit<Examination, 'maps'>): Reading {
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

/** The largest difference between two numbers of the same name; 1 if either side lacks a name. */
function measureDistance({ numbers: a }: Reading, { numbers: b }: Reading): number {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  const distances = names.map((name) => {
    const [one, other] = [a[name], b[name]];
    return one === undefined || other === undefined ? 1 : Math.abs(one - other);
  });
  return rounded(Math.max(0, ...distances));
}

/** Null for a model without golden numbers. `models/` lies beside both `src/` and `dist/`. */
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
