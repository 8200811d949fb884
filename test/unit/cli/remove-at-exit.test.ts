import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../../fixtures/folder.ts';

const module = new URL('../../../src/cli/output/terminal.ts', import.meta.url).href;

/** Exits at once, as the program does when its output is closed. */
const program = `
  import { removeAtExit } from ${JSON.stringify(module)};
  removeAtExit('half-done');
  removeAtExit('half-done.xml');
  removeAtExit('in-place')();
  process.exit(3);
`;

test('unfinished output is removed at exit, and finished output stays', async () => {
  const cwd = newFolder();
  for (const name of ['half-done', 'in-place']) {
    await mkdir(join(cwd, name));
    await writeFile(join(cwd, name, 'result.json'), '{}');
  }
  await writeFile(join(cwd, 'half-done.xml'), '<');

  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd });
  const [code] = await once(child, 'close');

  expect(code).toBe(3);
  expect(await readdir(cwd)).toEqual(['in-place']);
});
