import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { chooseFiles } from '../../../../src/cli/validate/measure.ts';
import { temporaryFolder } from '../../ports/db/temporary.ts';

/** Each in a folder of its own. */
function file(name: string, content: string | null, isFake = false) {
  const path = join(temporaryFolder(), name);
  if (content !== null) writeFileSync(path, content);
  return { path, isFake, folder: '' };
}

const names = (files: readonly { path: string }[]) => files.map(({ path }) => basename(path));

test('of files with the same bytes only the first is chosen, of the same size all are', async () => {
  const files = [file('a', 'one'), file('b', 'two'), file('c', 'one'), file('d', 'three')];

  const { chosen, repeated } = await chooseFiles(files);

  expect(names(chosen)).toEqual(['a', 'b', 'd']);
  expect(names(repeated)).toEqual(['c']);
});

test('the same bytes under both labels count for neither, however many copies there are', async () => {
  const files = [
    file('a', 'same'),
    file('b', 'same'),
    file('c', 'same', true),
    file('d', 'only', true),
  ];

  const { chosen, inBoth, repeated } = await chooseFiles(files);

  expect(names(chosen)).toEqual(['d']);
  expect(names(inBoth)).toEqual(['a', 'b', 'c']);
  expect(repeated).toEqual([]);
});

test('a file that cannot be read is kept, so that it is reported later', async () => {
  const files = [file('gone', null), file('also gone', null), file('a', '')];

  const { chosen } = await chooseFiles(files);

  expect(names(chosen).toSorted()).toEqual(['a', 'also gone', 'gone']);
});

test('the classes are mixed evenly, so that the remaining time can be estimated', async () => {
  const files = Array.from({ length: 30 }, (_, n) => file(`f${n}`, `${n}`, n >= 20));

  const { chosen } = await chooseFiles(files);

  for (const end of [9, 15, 21, 30]) {
    const fakes = chosen.slice(0, end).filter(({ isFake }) => isFake).length;
    expect(Math.abs(fakes - end / 3)).toBeLessThanOrEqual(1);
  }
});
