import { expect, test } from 'vitest';
import { runInTerminal } from './in-terminal.ts';

/** Names of files that are not there: they are told of without a picture being opened. */
const gone = Array.from({ length: 200 }, (_, n) => `gone-${n}.jpg`);

/**
 * What is on the screen in the end: text up to a carriage return or an erased line is gone. Enough of a terminal for
 * a line that is written over again and again.
 */
function screenOf(raw: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
  const erased = /^.*\u001b\[(?:2K|1G\u001b\[0?K|0?J)/u;
  return raw.split('\n').map((line) => {
    let shown = line;
    while (erased.test(shown)) shown = shown.replace(erased, '');
    // oxlint-disable-next-line no-control-regex -- colours and the cursor's look
    return shown.replaceAll(/\u001b\[[?\d;]*[a-zA-Z]/g, '').replaceAll('\r', '');
  });
}

test('lines of --jsonl and the bar do not mix on one terminal', async () => {
  const { raw, code } = await runInTerminal(['analyze', '--jsonl', ...gone], { columns: 80 });

  const json = screenOf(raw).filter((line) => line.startsWith('{'));
  expect(code).toBe(1);
  expect(raw).toMatch(/\d+(?:\/200| examined), \d+ failed/);
  expect(json.map((line) => Object(JSON.parse(line))['file'])).toEqual(gone);
});

test('a table says why pictures failed, so that their lines do not push it away', async () => {
  const { text, code } = await runInTerminal(['analyze', ...gone], { columns: 80, rows: 24 });

  expect(code).toBe(1);
  expect(text.match(/forensics: gone/g)).toBeNull();
  expect(text.match(/^gone-\d+\.jpg +failed +- +- +There is no such file\.$/gm)).toHaveLength(200);
  expect(text).toContain('200 pictures: 200 failed;');
});

test('one picture that fails is told of in one line, with its own exit code', async () => {
  const { raw, code } = await runInTerminal(['analyze', 'gone.jpg']);

  expect(code).toBe(4);
  expect(screenOf(raw).filter((line) => line.includes('gone.jpg'))).toEqual([
    'forensics: gone.jpg: There is no such file.',
  ]);
});
