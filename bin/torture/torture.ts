/**
 * `npm run torture -- --minutes N [--only kills,pictures,...] [--seed S] [--analyses N]`: proofs that run for N minutes. Each
 * prints what it did; the first broken guarantee ends the run with exit code 1 and the seed that shows it again.
 */

import { availableParallelism, cpus, loadavg } from 'node:os';
import { readOptions } from '../usage.ts';
import { createProof } from './proof.ts';
import { isProofName, proofNames, proofs } from './proofs.ts';

const values = readOptions(import.meta.url, {
  minutes: { type: 'string', default: '10' },
  only: { type: 'string', default: proofNames.join(',') },
  analyses: { type: 'string', default: '1000000' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
});
const wanted = values.only.split(',');
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const analyses = Number(values.analyses);
if (!wanted.every(isProofName) || !(minutes > 0) || !Number.isInteger(seed)) {
  process.stderr.write(
    `--only takes ${proofNames.join(',')}; --minutes and --seed take a number.\n`,
  );
  process.exit(2);
}

process.stdout.write(
  `seed ${seed}; Node.js ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model.trim()}), load ${loadavg()[0]!.toFixed(1)} at the start\n`,
);
for (const name of proofNames.filter((one) => wanted.includes(one))) {
  const begun = performance.now();
  const { proof, figures } = createProof({ seed, analyses, minutes: minutes / wanted.length });
  let fault: unknown = null;
  try {
    await proofs[name](proof);
  } catch (error) {
    fault = error;
  }
  const seconds = Math.round((performance.now() - begun) / 1000);
  process.stdout.write(`\n${name}: ${fault === null ? 'holds' : 'BROKEN'} after ${seconds} s\n`);
  for (const [what, value] of figures) process.stdout.write(`  ${what.padEnd(44)} ${value}\n`);
  if (fault !== null) {
    const said = fault instanceof Error ? (fault.stack ?? fault.message) : JSON.stringify(fault);
    process.stdout.write(`${said}\nAgain: npm run torture -- --only ${name} --seed ${seed}\n`);
    process.exit(1);
  }
}
// A proof that had to stop waiting leaves timers behind.
process.exit(0);
