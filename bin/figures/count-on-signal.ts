/**
 * Preloaded into a server: at each SIGUSR2, writes the functions that ran since the last one to a
 * file named after `FORENSICS_FIGURES_COVERAGE` and the number of the signal.
 */

import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
let signals = 0;
process.on('SIGUSR2', () => {
  void session.post('Profiler.takePreciseCoverage').then((coverage) => {
    signals += 1;
    writeFileSync(
      `${process.env['FORENSICS_FIGURES_COVERAGE']}-${signals}`,
      JSON.stringify(coverage),
    );
  });
});
