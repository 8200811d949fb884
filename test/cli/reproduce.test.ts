import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reproductionCard } from '../../src/cli/commands/reproduce.ts';
import type { Reproduction } from '../../src/evidence/compare.ts';
import { writeBundle } from '../../src/evidence/write-bundle.ts';
import { realCase } from '../unit/evidence/real-case.ts';
import { newSigner, signedAt } from '../unit/evidence/small-case.ts';
import { emptyFolder } from './run-cli.ts';
import { runHere } from './run-here.ts';

test('a signed lie is told with the value that comes out, and exits with 7', async () => {
  const real = await realCase();
  const { examination } = real;
  const predictions = { ...examination.predictions, real: 0.999 };
  const lie = { ...real, examination: { ...examination, predictions } };
  const how = { withOriginal: true, signer: newSigner(), signedAt };
  const file = join(await emptyFolder(), 'evidence.zip');
  await writeFile(file, writeBundle(lie, how).bytes);

  const verified = await runHere(['verify', file]);
  const reproduced = await runHere(['reproduce', file]);

  expect(verified.code).toBe(0);
  expect(reproduced.code).toBe(7);
  expect(reproduced.stdout).toContain('evidence.zip: DIFFERENT\n');
  expect(reproduced.stdout).toMatch(/examination\.predictions\.real: 0\.999, again 0\.\d+/);
});

const same: Reproduction = {
  outcome: 'same-result',
  verdict: { recorded: 'real', found: 'real' },
  model: { id: 'trace-2', version: '1.2.0' },
  valuesCompared: 900,
  differences: [
    { path: 'examination.anomaly.score', recorded: 0.5, found: 0.50001, kind: 'rounding' },
  ],
  files: [
    { name: 'map-real.png', isIdentical: true, pixels: null, isTolerated: true },
    {
      name: 'heatmap-real.png',
      isIdentical: false,
      pixels: { differing: 12, largest: 1 / 255 },
      isTolerated: true,
    },
    { name: 'report-en.pdf', isIdentical: false, pixels: null, isTolerated: true },
  ],
  environment: [{ name: 'cpu', recorded: 'One', found: 'Another' }],
};

test('what differs within the tolerance is told with the tolerance and what else was different', () => {
  const card = reproductionCard('evidence.zip', same);

  expect(card.split('\n').map((line) => line.replace(/^ +(?:[A-Z]\w+ +)?/, ''))).toEqual([
    'evidence.zip: SAME RESULT, not byte for byte',
    'same verdict; numbers within 0.0001, pixels within one step of the colour scale',
    'real in the bundle, real again',
    'trace-2 1.2.0, the very files that the bundle names',
    '900 values and 3 files',
    'examination.anomaly.score: 0.5, again 0.50001 (within the tolerance)',
    '- heatmap-real.png: 12 samples differ, by 0.39 % of the scale at most',
    '- report-en.pdf: other bytes, as other versions write',
    'cpu: One in the bundle, Another here',
    '',
  ]);
});
