import { appendFile, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchFolders, type WatchOptions } from '../../src/cli/analyze/watch.ts';
import { emptyFolder, runCli } from './run-cli.ts';
import { runHere } from './run-here.ts';

/** What the watch hands out next, on a folder of its own. It looks often; the figures of the product are seconds. */
async function watching(wanted: Partial<WatchOptions> = {}, fill: readonly string[] = []) {
  const dir = await emptyFolder();
  for (const name of fill) await writeFile(join(dir, name), 'here before');
  const controller = new AbortController();
  const options = { recursive: false, exceptDir: null, onlyNew: false, pollMs: 20, settleMs: 60 };
  const { signal } = controller;
  const inputs = watchFolders([dir], { ...options, signal, ...wanted });
  onTestFinished(() => controller.abort());
  const next = async () => {
    const { value } = await inputs.next();
    return value && [value.label.slice(dir.length + 1), value.failure?.code ?? null];
  };
  return { dir, next, stop: () => controller.abort(), put: putInto(dir) };
}

const putInto = (dir: string) => (name: string, text: string) => writeFile(join(dir, name), text);

test('what is there comes first, then what is new, each once', async () => {
  const { next, put } = await watching({}, ['b.jpg', 'a.png', 'notes.txt', '.hidden.jpg']);

  const before = [await next(), await next()];
  await put('c.jpg', 'new');
  const third = await next();
  await put('d.jpg', 'newer');
  const fourth = await next();

  expect([...before, third, fourth]).toEqual(['a.png', 'b.jpg', 'c.jpg', 'd.jpg'].map(whole));
});

const whole = (name: string) => [name, null];

test('a file that still grows is not taken before it rests', async () => {
  const { dir, next, put } = await watching({ settleMs: 300 });
  const path = join(dir, 'slow.jpg');
  await put('slow.jpg', 'x');
  let written = 1;
  const growing = setInterval(() => {
    if (++written <= 20) void appendFile(path, 'x');
    else clearInterval(growing);
  }, 25);

  expect(await next()).toEqual(whole('slow.jpg'));
  expect(written).toBeGreaterThan(20);
});

test('a file that was changed comes again, with another size or another time', async () => {
  const { dir, next, put } = await watching({}, ['a.jpg']);
  const first = await next();
  await put('a.jpg', 'changed, and longer');
  const again = await next();
  await utimes(join(dir, 'a.jpg'), new Date(), new Date(1_700_000_000_000));
  const once = await next();
  await put('z.jpg', 'last');

  expect([first, again, once, await next()]).toEqual(
    ['a.jpg', 'a.jpg', 'a.jpg', 'z.jpg'].map(whole),
  );
});

test('a file that is moved into place under its name is taken, whatever its time', async () => {
  const { dir, next, put } = await watching({}, ['first.jpg']);
  await next();
  await put('moved.jpg.part', 'whole');
  await utimes(join(dir, 'moved.jpg.part'), 1000, 1000);
  await rename(join(dir, 'moved.jpg.part'), join(dir, 'moved.jpg'));

  expect(await next()).toEqual(whole('moved.jpg'));
});

test('with only-new what is there is left out until it changes', async () => {
  const { next, put } = await watching({ onlyNew: true }, ['old.jpg', 'old2.jpg']);
  // Nobody tells when the first look is over: files keep coming until one is taken.
  let count = 0;
  const coming = setInterval(() => void put(`new-${count++}.jpg`, 'new'), 50);
  const first = await next();
  clearInterval(coming);
  await put('old2.jpg', 'changed since');
  let last = await next();
  while (last?.[0]?.startsWith('new-')) last = await next();

  expect(first?.[0]).toMatch(/^new-\d+\.jpg$/);
  expect(last).toEqual(whole('old2.jpg'));
});

test('folders below are taken with recursive alone, and the folder of the results never', async () => {
  const flat = await watching({}, ['z.jpg']);
  await mkdir(join(flat.dir, 'sub'));
  await flat.put('sub/a.jpg', 'below');
  const dir = await emptyFolder();
  await mkdir(join(dir, 'out'));
  await mkdir(join(dir, 'sub'));
  await writeFile(join(dir, 'out', 'heatmap.png'), 'result');
  await writeFile(join(dir, 'sub', 'a.jpg'), 'below');
  const controller = new AbortController();
  const deep = watchFolders([dir], {
    recursive: true,
    exceptDir: join(dir, 'out'),
    onlyNew: false,
    pollMs: 20,
    settleMs: 20,
    signal: controller.signal,
  });

  expect(await flat.next()).toEqual(whole('z.jpg'));
  expect((await deep.next()).value).toMatchObject({ label: join(dir, 'sub', 'a.jpg') });
  controller.abort();
  expect(await deep.next()).toMatchObject({ done: true });
});

test('a folder that goes away is told of once, and is taken up again when it is back', async () => {
  const { dir, next, put } = await watching({}, ['a.jpg']);
  await next();
  await rename(dir, `${dir}-away`);
  const told = await next();
  await rename(`${dir}-away`, dir);
  await put('b.jpg', 'new');

  expect(told).toEqual(['', 'file_not_found']);
  expect(await next()).toEqual(whole('b.jpg'));
});

test('a file that is gone for long is forgotten, and new when it is back', async () => {
  const { dir, next, put } = await watching({ keptMs: 0 }, ['a.jpg']);
  const path = join(dir, 'a.jpg');
  await utimes(path, 1000, 1000);
  const first = await next();
  await rm(path);
  await put('b.jpg', 'looked at since');
  const second = await next();
  await put('a.jpg', 'here before');
  await utimes(path, 1000, 1000);

  expect([first, second, await next()]).toEqual(['a.jpg', 'b.jpg', 'a.jpg'].map(whole));
});

test('a watch ends at once when it is told to', async () => {
  const { next, stop } = await watching({ pollMs: 60_000 });
  const waiting = next();
  stop();

  expect(await waiting).toBeUndefined();
});

test('the program watches until Ctrl-C, prints a line a picture and keeps its results', async () => {
  const cwd = await emptyFolder();
  await mkdir(join(cwd, 'in'));
  await writeFile(join(cwd, 'in', 'a.jpg'), 'no picture');
  let lines = '';

  const ran = await runCli(['analyze', '--watch', 'in', '--jsonl', '--out', 'in/out', '-r'], {
    cwd,
    onStdout: (text, kill) => {
      lines += text;
      if (lines.includes('b.jpg')) kill('SIGINT');
      else if (lines.includes('a.jpg')) void writeFile(join(cwd, 'in', 'b.jpg'), 'nor this');
    },
  });

  expect(ran.signal).toBe('SIGINT');
  const files = ran.stdout.trimEnd().split('\n');
  expect(files.map((line) => Object(JSON.parse(line))['file'])).toEqual(['in/a.jpg', 'in/b.jpg']);
  expect(ran.stderr).toContain('Watching in; end with Ctrl-C.\n');
  expect(ran.stderr).toContain('Stopped. 2 pictures: 2 failed;');
});

test.for([
  [['gone'], 'There is no such file.'],
  [['a.jpg', '--json'], '--json waits for an end that --watch has not'],
  [['a.jpg', '--fail-on', 'fake'], '--fail-on waits for an end'],
  [['-'], 'standard input (-) is none'],
] as const)('%j cannot be watched, and the reason is told', async ([args, reason]) => {
  const ran = await runHere(['analyze', '--watch', ...args]);

  expect(ran.code).not.toBe(0);
  expect(ran.stdout).toBe('');
  expect(ran.stderr).toContain(reason);
});

test('only-new without a watch is refused', async () => {
  expect(await runHere(['analyze', 'a', '--only-new'])).toMatchObject({ code: 2, stdout: '' });
});
