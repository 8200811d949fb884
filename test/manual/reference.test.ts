import { expect, test } from 'vitest';
import type { Command } from 'commander';
import { createWholeProgram } from '../../src/cli/main.ts';
import { blocksOf, readManual } from './manual.ts';
import { withReference } from './reference.ts';
import { wayOf } from './ways.ts';

test('the reference is that of the code; "npm run manual" writes it anew', async () => {
  const manual = readManual();

  expect(manual).toBe(await withReference(manual));
});

test('every block of the manual has a name of its own, and a test that knows it', () => {
  const names = blocksOf(readManual()).map(({ name }) => name);

  expect(names.toSorted()).toEqual(Object.keys(wayOf).toSorted());
});

test('every command and option that the text names is there', async () => {
  const places = placesOf(await createWholeProgram());
  const known = places.flatMap(({ flags }) => flags);
  // Fenced blocks are run.
  const text = readManual().replaceAll(/^```[^]*?^```$/gm, '');
  const words = [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  const commands = words.filter((word) => /^forensics\s+[a-z]/.test(word));
  const flags = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split(' ')[0]!);

  expect(commands.length).toBeGreaterThan(30);
  expect(commands.filter((command) => !isKnown(command, places))).toEqual([]);
  expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
});

/** Whether a command line names a command, and of it nothing but options that it takes. */
function isKnown(text: string, places: ReturnType<typeof placesOf>): boolean {
  const words = text.trim().split(/\s+/).slice(1);
  const reached = places.filter(({ path }) => `${words.join(' ')} `.startsWith(`${path} `));
  const place = reached.at(-1);
  if (place === undefined || place.path === '') return false;
  const flags = words.filter((word) => word.startsWith('--'));
  return flags.every((flag) => place.flags.includes(flag));
}

interface Place {
  /** The names of the commands down to here; empty for the program itself. */
  readonly path: string;
  readonly flags: readonly string[];
}

/** Each command stands before those below it. */
function placesOf(command: Command, path: readonly string[] = []): readonly Place[] {
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const flags = options.flatMap(({ short, long }) => [short ?? [], long ?? []].flat());
  const below = help
    .visibleCommands(command)
    .flatMap((each) => placesOf(each, [...path, each.name()]));
  return [{ path: path.join(' '), flags }, ...below];
}
