import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BundleCase } from '../../src/evidence/bundle-format.ts';
import { writeBundle } from '../../src/evidence/write-bundle.ts';
import { realCase } from '../unit/evidence/real-case.ts';
import { newSigner, signedAt } from '../unit/evidence/small-case.ts';
import { warmChildren } from '../unit/examiner/warm-children.ts';
import { emptyFolder, runHere } from './run-cli.ts';

const real = await realCase(warmChildren());

async function bundleOf(bundleCase: BundleCase): Promise<string> {
  const how = { withOriginal: true, signer: newSigner(), signedAt };
  const file = join(await emptyFolder(), 'evidence.zip');
  await writeFile(file, writeBundle(bundleCase, how).bytes);
  return file;
}

test('a validly signed but false value is reported with the recomputed one, with exit code 7', async () => {
  const { examination } = real;
  const predictions = { ...examination.predictions, real: 0.999 };
  const file = await bundleOf({ ...real, examination: { ...examination, predictions } });

  const verified = await runHere(['verify', file]);
  const reproduced = await runHere(['reproduce', file]);

  expect(verified.code).toBe(0);
  expect(reproduced.code).toBe(7);
  expect(reproduced.stdout).toContain('evidence.zip: DIFFERENT\n');
  expect(reproduced.stdout).toMatch(/examination\.predictions\.real: 0\.999, now 0\.\d+/);
});

test('differences within the tolerance are listed, and so is another environment', async () => {
  const { examination, rendering } = real;
  const { anomaly, environment } = examination;
  const { en } = rendering.reports;
  const file = await bundleOf({
    ...real,
    examination: {
      ...examination,
      anomaly: { ...anomaly, score: anomaly.score! + 0.00002 },
      environment: { ...environment, cpu: 'Another' },
    },
    rendering: {
      ...rendering,
      reports: {
        ...rendering.reports,
        en: { ...en!, pdf: Buffer.concat([en!.pdf, Buffer.of(10)]) },
      },
    },
  });

  const { code, stdout } = await runHere(['reproduce', file]);

  expect(code).toBe(0);
  expect(stdout).toContain('evidence.zip: SAME RESULT, but not byte for byte\n');
  expect(stdout).toMatch(
    /examination\.anomaly\.score: [\d.]+, now [\d.]+ \(within the\s+tolerance\)/,
  );
  expect(stdout).toContain('report-en.pdf: different bytes, as expected from a different version');
  expect(stdout).toMatch(/cpu: Another in the bundle, .* here/);
});
