import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Input, openSource, walkInputs } from '../../src/cli/analyze/inputs.ts';
import { emptyFolder } from './run-cli.ts';

async function fill(dir: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(dir, name, '..'), { recursive: true });
    await writeFile(join(dir, name), content(name), 'latin1');
  }
}

/** Recognised by content, so that names do not matter: a PNG signature, a video's brand, or text. */
function content(name: string): string {
  if (name.endsWith('.bin')) return '\x89PNG\r\n\x1a\n';
  return name.endsWith('.mov') ? '\0\0\0\x14ftypqt  ' : 'x';
}

async function gatherInputs(
  args: readonly string[],
  options: Parameters<typeof walkInputs>[1],
): Promise<Input[]> {
  const inputs: Input[] = [];
  for await (const input of walkInputs(args, options)) inputs.push(input);
  return inputs;
}

async function labels(args: string[], recursive: boolean) {
  const inputs = await gatherInputs(args, { recursive, exceptDir: null });
  return inputs
    .filter(({ skipped }) => skipped === undefined)
    .map(({ label, failure }) => (failure ? `${label}: ${failure.code}` : label));
}

test('every file in a folder is accounted for: taken as a picture or skipped with a reason', async () => {
  const dir = await emptyFolder();
  const names = '.git/x.png ._a.jpg a.jfif aa/z.JPG b.bin c.mov d.txt e.pdf out/a/heatmap.png';
  await fill(dir, names.split(' '));
  await symlink(dir, join(dir, 'aa', 'up'));
  await symlink('/', join(dir, 'machine'));
  const inputs = await gatherInputs([dir], { recursive: true, exceptDir: join(dir, 'out') });

  expect(inputs.map(({ label, skipped = null }) => [label.slice(dir.length + 1), skipped])).toEqual(
    [
      ['._a.jpg', { code: 'hidden' }],
      ['.git', { code: 'hidden' }],
      ['a.jfif', null],
      ['aa/up', { code: 'folder_seen_before' }],
      ['aa/z.JPG', null],
      ['b.bin', null],
      ['c.mov', { code: 'not_a_picture', kind: 'video' }],
      ['d.txt', { code: 'not_a_picture', kind: 'text' }],
      ['e.pdf', null],
      ['machine', { code: 'elsewhere' }],
      ['out', { code: 'own_results' }],
    ],
  );
});

test('results of an earlier run are passed over, unless something was added to them', async () => {
  const dir = await emptyFolder();
  await fill(dir, ['more/a.png']);
  for (const name of ['earlier', 'more']) {
    await fill(dir, [`${name}/heatmap-real.png`]);
    await writeFile(join(dir, name, 'result.json'), '{\n  "files": [\n    "result.json"\n  ]\n}\n');
  }
  const inputs = await gatherInputs([dir], { recursive: true, exceptDir: null });

  const found = inputs.map(({ label, skipped }) => `${label.slice(dir.length)} ${skipped?.code}`);
  const more = ['/more/a.png undefined', '/more/heatmap-real.png undefined'];
  expect(found).toEqual(['/earlier own_results', ...more, '/more/result.json not_a_picture']);
});

test('a link out of the folder is followed only where the user prepared the folder', async () => {
  const [dir, other] = [await emptyFolder(), await emptyFolder()];
  await fill(other, ['a.png']);
  await symlink(other, join(dir, 'camera'));
  await symlink(join(other, 'a.png'), join(dir, 'one.png'));
  const options = { recursive: true, exceptDir: null };
  const found = async (leavesFolder: boolean) =>
    (await gatherInputs([dir], { ...options, leavesFolder })).map(({ label, skipped = null }) => [
      label.slice(dir.length + 1),
      skipped,
    ]);

  expect(await found(true)).toEqual([
    ['camera/a.png', null],
    ['one.png', null],
  ]);
  expect(await labels([dir], true)).toEqual([`${dir}: file_not_found`]);
  await fill(dir, ['own.png']);
  await symlink('own.png', join(dir, 'within.png'));
  expect(await found(false)).toEqual([
    ['camera', { code: 'elsewhere' }],
    ['one.png', { code: 'elsewhere' }],
    ['own.png', null],
    ['within.png', null],
  ]);
});

test('a picture named twice is taken once, where it is first named', async () => {
  const dir = await emptyFolder();
  await fill(dir, ['a.png', 'b.png', 'sub/c.png', 'lone/d.png']);
  const [a, b, c, d] = ['a.png', 'b.png', 'sub/c.png', 'lone/d.png'].map((name) => join(dir, name));

  expect(await labels([b!, dir, join(dir, 'sub'), `${dir}/./b.png`, dir], true)).toEqual([
    b,
    a,
    d,
    c,
  ]);
  expect(await labels([join(dir, 'lone'), d!], true)).toEqual([d]);
});

test('inputs that cannot be read fail without affecting the others', async () => {
  const dir = await emptyFolder();
  await fill(dir, ['a.png', 'empty/readme.txt']);
  await symlink('loop', join(dir, 'loop'));
  const at = (name: string) => join(dir, name);

  expect(await labels([at('a.png'), at('gone.png'), dir, at('loop')], false)).toEqual([
    at('a.png'),
    `${at('gone.png')}: file_not_found`,
    `${dir}: file_is_directory`,
    `${at('loop')}: file_not_readable`,
  ]);
  expect(await labels([at('empty')], true)).toEqual([`${at('empty')}: file_not_found`]);
});

test('a broken link named like a picture is reported', async () => {
  const dir = await emptyFolder();
  await symlink('nowhere', join(dir, 'a.png'));
  const [input] = await gatherInputs([dir], { recursive: true, exceptDir: null });

  await expect(openSource(input!)).rejects.toMatchObject({ code: 'file_not_found' });
});

test('an endless device is read up to the limit, a pipe that nobody writes to until a signal', async () => {
  const pipe = join(await emptyFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const args = ['/dev/zero', pipe];
  const [zero, lone] = await gatherInputs(args, { recursive: false, exceptDir: null });

  await expect(openSource(zero!)).rejects.toMatchObject({ code: 'image_too_many_bytes' });
  await expect(openSource(lone!, AbortSignal.timeout(50))).rejects.toThrow('aborted');
});
