import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Command } from 'commander';
import { createWholeProgram } from '../../src/cli/main.ts';
import { blocksOf, pages, readManual, readPage, root } from '../../bin/manual/manual.ts';
import { referencePages } from '../../bin/manual/reference.ts';
import { wayOf } from '../../bin/manual/ways.ts';

test('generated pages are up to date; "npm run manual" writes them', async () => {
  for (const [page, text] of Object.entries(await referencePages())) {
    expect(readPage(page)).toBe(text);
  }
});

test('every page has a topic, and every link leads to an existing file', () => {
  const files = readdirSync(join(root, 'src/manual')).filter((name) => name.endsWith('.md'));
  const broken = pages.flatMap((page) => {
    const links = [...readPage(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)];
    return links
      .map(([, target = '']) => join(root, dirname(page), target))
      .filter((target) => !existsSync(target));
  });

  expect(files.map((name) => `src/manual/${name}`).toSorted()).toEqual(pages.slice(1).toSorted());
  expect(broken).toEqual([]);
});

test('README.md is short enough to read in one go: at most 25 kB', () => {
  expect(Buffer.byteLength(readPage('README.md'))).toBeLessThanOrEqual(25_000);
});

test('the architecture page names every module, and only existing files', () => {
  const text = readPage('src/manual/architecture.md');
  const named = [...text.matchAll(/`([^`\s]+)`/g)].map(([, code = '']) => code);
  const missing = named
    .filter((code) => /^[a-z-]+(?:\/[a-z-]+)*\.ts$/.test(code))
    .filter((file) => !existsSync(join(root, 'src', file)));
  const modules = readdirSync(join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'manual')
    .map(({ name }) => name);

  expect(missing).toEqual([]);
  expect(modules.filter((module) => !named.includes(module))).toEqual([]);
});

test('every block of the manual has a unique name and a test', () => {
  const names = blocksOf(readManual()).map(({ name }) => name);

  expect(names.toSorted()).toEqual(Object.keys(wayOf).toSorted());
});

test('every command and option named in the text exists', async () => {
  const places = placesOf(await createWholeProgram());
  const known = places.flatMap(({ flags }) => flags);
  // Fenced blocks are run by their own test.
  const text = readManual().replaceAll(/^```[^]*?^```$/gm, '');
  const words = [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  const commands = words.filter((word) => /^forensics\s+[a-z]/.test(word));
  const flags = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split(' ')[0]!);

  expect(commands.length).toBeGreaterThan(30);
  expect(commands.filter((command) => !isKnown(command, places))).toEqual([]);
  expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
});

/** Whether a command line names a command, with only options that it has. */
function isKnown(text: string, places: ReturnType<typeof placesOf>): boolean {
  const words = text.trim().split(/\s+/).slice(1);
  const reached = places.filter(({ path }) => `${words.join(' ')} `.startsWith(`${path} `));
  const place = reached.at(-1);
  if (place === undefined || place.path === '') return false;
  const flags = words.filter((word) => word.startsWith('--'));
  return flags.every((flag) => place.flags.includes(flag));
}

interface Place {
  /** The names of the commands down to this one; empty for the program itself. */
  readonly path: string;
  readonly flags: readonly string[];
}

/** Each command comes before its subcommands. */
function placesOf(command: Command, path: readonly string[] = []): readonly Place[] {
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const flags = options.flatMap(({ short, long }) => [short ?? [], long ?? []].flat());
  const below = help
    .visibleCommands(command)
    .flatMap((each) => placesOf(each, [...path, each.name()]));
  return [{ path: path.join(' '), flags }, ...below];
}
