/** The short form of the long proofs; `npm run torture` runs them for hours. */

import { expect, test } from 'vitest';
import { createProof } from './proof.ts';
import { proofNames, proofs } from './proofs.ts';

const seed = Number(process.env['FORENSICS_TEST_SEED'] ?? 1337);
const minutes = 1 / 6;

test.each(proofNames)('the %s proof holds', { timeout: 300_000 }, async (name) => {
  const { proof, figures } = createProof({ seed, minutes, analyses: 10_000 });

  await proofs[name](proof);

  console.info([`${name}, seed ${seed}`, ...figures].join('\n  '));
  expect(figures.size).toBeGreaterThan(0);
});
