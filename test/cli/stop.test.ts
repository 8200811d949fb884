import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const stopModule = new URL('../../src/cli/analyze/batch.ts', import.meta.url).href;

/** A program that tidies up for a while, beside a package that ends it when nobody else hears the signal. */
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

/** @param cues - what the program says when it is sent a signal. */
async function runAndSignal(tidyMs: number, cues: readonly string[]) {
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
  const child = spawn(process.execPath, [...flags, String(tidyMs)]);
  const ended = new Promise((resolve) => child.once('close', (_, signal) => resolve(signal)));
  child.stdout.on('data', (said) => {
    if (cues.includes(String(said).trim())) child.kill('SIGTERM');
  });
  const said = await text(child.stdout);
  return { said: said.trim().split('\n'), signal: await ended };
}

test('a signal lets the tidying up end, whoever else listens, and then ends the program', async () => {
  const { said, signal } = await runAndSignal(50, ['ready']);

  expect({ said, signal }).toEqual({ said: ['ready', 'stopping', 'tidied up'], signal: 'SIGTERM' });
});

test('a second signal does not wait for the tidying up', async () => {
  const { said, signal } = await runAndSignal(20_000, ['ready', 'stopping']);

  expect({ said, signal }).toEqual({ said: ['ready', 'stopping'], signal: 'SIGTERM' });
});
