/** Examines the drawn pictures of the package like any other picture, and compares with what the release measured. */

import { isSameModel, nameOfModel } from '../../engine/model-identity.ts';
import { type Examination } from '../../engine/result.ts';
import { createLab } from '../../lab/create-lab.ts';
import { shippedTrialImages } from '../trial-images.ts';
import { diagnose, type Diagnosis, messageOf } from './diagnosis.ts';
import { distanceOf, type Golden, readGolden, type Reading, readingOf } from './golden.ts';
import { defaultSeed } from '../../contract/vocabulary.ts';

// Golden numbers have four digits; one run is as exact as the next on the same processor.
const sameUpTo = 0.0005;
// A tenth of the largest scatter that a single picture's probability has over its passes (0.5).
const soundUpTo = 0.05;

const reinstall = 'Reinstall forensics on this machine: npm i -g forensics';

export interface Examined {
  /** By name of the picture. */
  readonly readings: Readonly<Record<string, Reading>>;
  readonly examination: Examination;
}

export async function checkSelf(modelsDir: string | null): Promise<Diagnosis> {
  try {
    const found = await examineShipped(modelsDir);
    return judgeReadings(found, await readGolden(found.examination.model.id));
  } catch (error) {
    return diagnose('self-test').failed(messageOf(error), reinstall);
  }
}

/** @throws {ForensicsError} as an examination does. */
export async function examineShipped(modelsDir: string | null): Promise<Examined> {
  const lab = createLab({ modelsDir, poolSize: 1 });
  const options = { model: null, decisionStrategy: 'default', seed: defaultSeed } as const;
  try {
    const pairs = await Promise.all(
      Object.entries(shippedTrialImages).map(async ([name, path]) => {
        const examination = await lab.examine({ source: { path }, options });
        return { name, examination };
      }),
    );
    const readings = pairs.map(({ name, examination }) => [name, readingOf(examination)] as const);
    return { readings: Object.fromEntries(readings), examination: pairs[0]!.examination };
  } finally {
    await lab.close();
  }
}

/** @param golden - null for a model that brings none. */
export function judgeReadings(found: Examined, golden: Golden | null): Diagnosis {
  const { ok, warning, failed } = diagnose('self-test');
  const { model, locator, environment } = found.examination;
  const names = [model, ...(locator === null ? [] : [locator])].map(nameOfModel).join(' and ');
  const of = `${Object.keys(found.readings).length} drawn pictures were examined with ${names}`;
  if (golden === null) return ok(`${of}; it brings no numbers to compare with.`);
  const isSame = isSameModel(model, golden.model);
  if (!isSame || locator === null || !isSameModel(locator, golden.locator)) {
    return warning(`${of}, but the numbers to compare with are of other models.`, reinstall);
  }
  const pairs = Object.entries(golden.pictures).map(
    ([name, expected]) => [expected, found.readings[name] ?? nothing] as const,
  );
  const distance = Math.max(...pairs.map(([expected, reading]) => distanceOf(expected, reading)));
  const hasSameVerdicts = pairs.every(([expected, { verdict }]) => expected.verdict === verdict);
  if (hasSameVerdicts && distance <= sameUpTo) return ok(`${of}: the numbers of the release.`);
  const told = `${of}: numbers differ by up to ${distance} from those of the release`;
  if (!hasSameVerdicts || distance > soundUpTo) {
    return failed(`${told}${hasSameVerdicts ? '' : ', and so do verdicts'}.`, reinstall);
  }
  return warning(
    `${told} (${differencesOf(golden.environment, environment)}); the verdicts are the same.`,
    'Compare numbers only with those of machines like this one; "forensics reproduce" tells how far two are apart.',
  );
}

const nothing: Reading = { verdict: 'none', numbers: {} };

type Environment = Golden['environment'];

/** What is other here: another processor, another version of a library. */
function differencesOf(golden: Environment, here: Environment): string {
  const other = Object.keys(golden).filter((name) => golden[name] !== here[name]);
  const told = other.map((name) => `${name}: ${here[name] ?? 'none'} instead of ${golden[name]}`);
  return told.length === 0 ? 'with the same processor and libraries' : told.join(', ');
}
