import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockForServing } from '../../../../src/ports/data-folder/data-folder.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'forensics-lock-'));

test('a second process is told which process holds the lock', () => {
  const folder = newFolder();
  const unlock = lockForServing(folder);

  expect(() => lockForServing(folder)).toThrow(refusal('conflict', `process ${process.pid}`));
  unlock();
});

test('a released lock can be taken again', () => {
  const folder = newFolder();
  lockForServing(folder)();

  expect(existsSync(join(folder, 'serve.lock'))).toBe(false);
  expect(() => lockForServing(folder)()).not.toThrow();
});

test('the lock of a process that is gone is taken over', async () => {
  const folder = newFolder();
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  writeFileSync(join(folder, 'serve.lock'), `${child.pid} 12345\n`);

  const unlock = lockForServing(folder);

  expect(readFileSync(join(folder, 'serve.lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
  unlock();
});

test('a reused process id does not keep the lock', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'serve.lock'), `${process.pid} 1\n`);

  expect(() => lockForServing(folder)()).not.toThrow();
});

test.each(['', 'nonsense\n'])('a damaged lock %j is taken over', (text) => {
  const folder = newFolder();
  writeFileSync(join(folder, 'serve.lock'), text);

  expect(() => lockForServing(folder)()).not.toThrow();
});

test('a lock that another process took over in the meantime is left alone', () => {
  const folder = newFolder();
  const unlock = lockForServing(folder);
  writeFileSync(join(folder, 'serve.lock'), '1 1\n');

  unlock();

  expect(readFileSync(join(folder, 'serve.lock'), 'utf8')).toBe('1 1\n');
});
