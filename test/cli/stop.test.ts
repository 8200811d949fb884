import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const stopModule = new URL('../../src/cli/analyze/batch.ts', import.meta.url).href;

/** A program with a slow clean-up, and a package that exits when it holds the only signal listener. */
const program = `
  import { listenForStop } from ${JSON.stringify(stopModule)};
  const stop = listenForStop();
  process.on('SIGTERM', () => process.listenerCount('SIGTERM') === 1 && process.exit(99));
  stop.signal.addEventListener('abort', () => {
    console.log('stopping');
    setTimeout(() => {
      console.log('tidied up');
      stop.release();
      console.log('still there');
    }, Number(process.argv[1]));
  });
  setInterval(() => undefined, 1000);
  console.log('ready');
`;

/** @param cues - outputs of the program on which it is sent a signal. */
async function runAndSignal(tidyMs: number, cues: readonly string[]) {
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
  const child = spawn(process.execPath, [...flags, String(tidyMs)]);
  const ended = new Promise((resolve) => child.once('close', (_, signal) => resolve(signal)));
  child.stdout.on('data', (output) => {
    if (cues.includes(String(output).trim())) child.kill('SIGTERM');
  });
  const output = await text(child.stdout);
  return { output: output.trim().split('\n'), signal: await ended };
}

test('a signal lets the clean-up finish despite other listeners, and then ends the program', async () => {
  const { output, signal } = await runAndSignal(50, ['ready']);

  expect({ output, signal }).toEqual({
    output: ['ready', 'stopping', 'tidied up'],
    signal: 'SIGTERM',
  });
});

test('a second signal does not wait for the clean-up', async () => {
  const { output, signal } = await runAndSignal(20_000, ['ready', 'stopping']);

  expect({ output, signal }).toEqual({ output: ['ready', 'stopping'], signal: 'SIGTERM' });
});
