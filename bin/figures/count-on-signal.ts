/**
 * Preloaded into a server: at each SIGUSR2, writes which functions ran since the one before to a file named by
 * `FORENSICS_FIGURES_COVERAGE`, the number of the signal behind it.
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
