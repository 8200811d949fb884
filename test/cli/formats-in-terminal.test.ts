import { expect, test } from 'vitest';
import { runInTerminal } from './in-terminal.ts';

/** Missing files: reported without opening a picture. */
const gone = Array.from({ length: 200 }, (_, n) => `gone-${n}.jpg`);

/**
 * What is finally on the screen: text before a carriage return or an erased line is gone. Enough of
 * a terminal emulator for a progress line that is redrawn repeatedly.
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

test('--jsonl lines and the progress bar do not mix on a terminal', async () => {
  const { raw, code } = await runInTerminal(['analyze', '--jsonl', ...gone], { columns: 80 });

  const json = screenOf(raw).filter((line) => line.startsWith('{'));
  expect(code).toBe(1);
  expect(raw).toMatch(/\d+(?:\/200| examined), \d+ failed/);
  expect(json.map((line) => Object(JSON.parse(line))['file'])).toEqual(gone);
});

test('a table gives the reason for each failure, without separate error lines', async () => {
  const { text, code } = await runInTerminal(['analyze', ...gone], { columns: 80, rows: 24 });

  expect(code).toBe(1);
  expect(text.match(/forensics: gone/g)).toBeNull();
  expect(text.match(/^gone-\d+\.jpg +failed +- +- +There is no such file\.$/gm)).toHaveLength(200);
  expect(text).toContain('200 pictures: 200 failed;');
});

test('a single failing picture gives one line and its own exit code', async () => {
  const { raw, code } = await runInTerminal(['analyze', 'gone.jpg']);

  expect(code).toBe(4);
  expect(screenOf(raw).filter((line) => line.includes('gone.jpg'))).toEqual([
    'forensics: gone.jpg: There is no such file.',
  ]);
});
