import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInTerminal } from './in-terminal.ts';
import { emptyFolder } from './run-cli.ts';

const question = /HEIC, WebP and sides above 4,096 pixels\? \[Y\/n\]/;

/** Starts a server for the first time, answers the question if it is asked, and stops the server when it is ready. */
async function firstStart(answer: string) {
  const home = await emptyFolder();
  let [isAnswered, isStopped] = [false, false];
  const shown = await runInTerminal(['serve', '--port', '0', '--data-dir', join(home, 'data')], {
    env: { XDG_CONFIG_HOME: join(home, 'config') },
    onScreen: (text, type) => {
      if (!isAnswered && question.test(text)) {
        isAnswered = true;
        type(answer);
      }
      if (!isStopped && text.includes('forensics is ready.')) {
        isStopped = true;
        type('\u0003');
      }
    },
  });
  const file = join(home, 'config', 'forensics', 'config.json');
  return { shown, config: await readFile(file, 'utf8').catch(() => null) };
}

test('the first start asks what to accept, and saves yes in the config file', async () => {
  const { shown, config } = await firstStart('\r');

  expect(shown.text).toMatch(question);
  expect(shown.text).not.toContain('"level"');
  expect(JSON.parse(config!)).toEqual({ intake: 'everything' });
});

test('answering no keeps the default limits and writes no file', async () => {
  const { shown, config } = await firstStart('n\r');

  expect(shown.text).toMatch(question);
  expect(config).toBeNull();
});
