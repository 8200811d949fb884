import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { newFolder } from '../../../fixtures/folder.ts';
import { hasInstallation } from '../../../../src/service/core.ts';
import { openDataFolder } from '../../../../src/service/secrets/secrets.ts';
import { refusal } from '../../../fixtures/refusal.ts';
import { isServed, lockForServing } from '../../../../src/ports/data-folder/serve-lock.ts';

const newPath = (): string => join(newFolder(), 'a', 'b');
const open = (dataDir: string, masterKey: string | null = null) =>
  openDataFolder({ dataDir, masterKey, databaseUrl: null });
const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('opening a new folder creates it and its key for the owner only', () => {
  const path = newPath();
  const folder = open(path);

  expect([modeOf(path), modeOf(join(path, 'master.key'))]).toEqual([0o700, 0o600]);
  expect(readFileSync(join(path, 'master.key'), 'utf8')).toBe(
    `${folder.masterKey.toString('hex')}\n`,
  );
});

test('a folder keeps its key, and another has a different one', () => {
  const path = newPath();
  const { masterKey } = open(path);

  expect(open(path).masterKey.equals(masterKey)).toBe(true);
  expect(open(newPath()).masterKey.equals(masterKey)).toBe(false);
});

test('a damaged key is rejected, never replaced', () => {
  const path = newPath();
  open(path);
  writeFileSync(join(path, 'master.key'), 'abc');

  expect(() => open(path)).toThrow(refusal('config_invalid'));
  expect(readFileSync(join(path, 'master.key'), 'utf8')).toBe('abc');
});

test('a key missing from the folder of its database is reported, never replaced', () => {
  const path = newPath();
  open(path);
  writeFileSync(join(path, 'forensics.db'), '');
  rmSync(join(path, 'master.key'));

  expect(() => open(path)).toThrow(refusal('config_invalid', 'restore it from a backup'));
  expect(existsSync(join(path, 'master.key'))).toBe(false);
  expect(open(path, 'ab'.repeat(32)).keyFile).toBeNull();
});

const usedFolder = (bucket: string | null = null): string => {
  const path = newPath();
  open(path);
  mkdirSync(join(path, 'blobs', bucket ?? '.'), { recursive: true });
  return path;
};

describe('a folder that was in use but has lost its database', () => {
  const lost = refusal('database_damaged', 'Restore a backup');

  test.each(['missing', 'empty'])('is refused when the database is %s', (how) => {
    const path = usedFolder();
    if (how === 'empty') writeFileSync(join(path, 'forensics.db'), '');

    expect(() => open(path)).toThrow(lost);
    expect(() => hasInstallation({ dataDir: path, databaseUrl: null })).toThrow(lost);
  });

  test('is refused with a master key in the settings, too', () => {
    const path = usedFolder(`b-${'0a'.repeat(12)}`);
    rmSync(join(path, 'master.key'));

    expect(() => open(path, 'ab'.repeat(32))).toThrow(lost);
  });

  test('is not confused with a new folder on a blob disk or with a killed first start', () => {
    const mounted = newPath();
    mkdirSync(join(mounted, 'blobs', 'lost+found'), { recursive: true });
    const killed = newPath();
    open(killed);
    writeFileSync(join(killed, 'forensics.db'), '');

    expect(open(mounted).keyFile).not.toBeNull();
    expect(open(killed).keyFile).not.toBeNull();
  });
});

test("a folder of other people's files is refused, and stays open to them", () => {
  const path = newFolder();
  writeFileSync(join(path, 'thesis.txt'), '');
  chmodSync(path, 0o777);

  expect(() => open(path)).toThrow(refusal('conflict', 'choose an empty or new one'));
  expect([modeOf(path), existsSync(join(path, 'master.key'))]).toEqual([0o777, false]);
});

test('an open folder that is empty, prepared for a server, or already one, is restricted', () => {
  for (const names of [[], ['lost+found', 'models', '.profile'], ['master.key', 'notes.txt']]) {
    const path = newFolder();
    for (const name of names) writeFileSync(join(path, name), `${'ab'.repeat(32)}\n`);
    chmodSync(path, 0o755);
    open(path);

    expect(modeOf(path)).toBe(0o700);
  }
});

test('a data folder that is a file is refused, and the error names --data-dir', () => {
  const path = join(newFolder(), 'file');
  writeFileSync(path, '');

  expect(() => open(path)).toThrow(refusal('config_invalid', '--data-dir'));
});

test.skipIf(process.platform === 'win32')(
  'a folder and a master key that others could read are made private',
  () => {
    const folder = newFolder();
    const key = join(folder, 'master.key');
    writeFileSync(key, `${'ab'.repeat(32)}\n`);
    chmodSync(key, 0o644);
    chmodSync(folder, 0o755);

    openDataFolder({ dataDir: folder, masterKey: null, databaseUrl: null });

    expect([folder, key].map((file) => statSync(file).mode & 0o777)).toEqual([0o700, 0o600]);
  },
);

test('a second process is told which process holds the lock', () => {
  const folder = newFolder();
  const unlock = lockForServing(folder);

  expect(() => lockForServing(folder)).toThrow(refusal('conflict', `process ${process.pid}`));
  expect(isServed(folder)).toBe(true);
  unlock();
});

test('a released lock leaves no file and can be taken again', () => {
  const folder = newFolder();
  lockForServing(folder)();

  expect(readdirSync(folder)).toEqual([]);
  expect(isServed(folder)).toBe(false);
  expect(() => lockForServing(folder)()).not.toThrow();
});

const module = new URL('../../../../src/ports/data-folder/serve-lock.ts', import.meta.url).href;

function lockElsewhere(folder: string, end: string) {
  const program = `import('${module}').then(({ lockForServing }) => { lockForServing('${folder}'); ${end} })`;
  return spawn(process.execPath, ['-e', program]);
}

test('the lock of a process that was killed is free', async () => {
  const folder = newFolder();
  await once(lockElsewhere(folder, `process.kill(process.pid, 'SIGKILL');`), 'exit');

  expect(readdirSync(folder)).toEqual(['serve.lock.db']);
  expect(isServed(folder)).toBe(false);
  expect(() => lockForServing(folder)()).not.toThrow();
});

test('a process that waits gets the lock of the file that others see', async () => {
  const folder = newFolder();
  const unlock = lockForServing(folder);
  const other = lockElsewhere(folder, 'setInterval(() => undefined, 1000);');
  await setTimeout(400);
  unlock();
  await vi.waitUntil(() => isServed(folder), { timeout: 5000 });

  expect(() => lockForServing(folder)).toThrow(refusal('conflict', `process ${other.pid}`));
  other.kill('SIGKILL');
  await once(other, 'exit');
});
