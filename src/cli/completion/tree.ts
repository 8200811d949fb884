/**
 * What may stand where on a command line, read from commander's own tree, so that no list of commands is kept twice.
 * Knows no shell.
 */

import type { Argument, Command, Option } from 'commander';

/** What the shell may offer for a value; null stands for text that only the user knows, such as a name. */
export type Value =
  | { readonly kind: 'file' }
  | { readonly kind: 'folder' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] };

export interface Flag {
  /** `--help`, or `-h`. */
  readonly name: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly value: Value | null;
}

export interface Place {
  /** Names of the commands down to here, parted by spaces; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly Flag[];
  readonly argument: Value | null;
}

/** Every place of the command line: the program, then each command before its own commands. */
export function placesOf(program: Command): readonly Place[] {
  return placesBelow(program, []);
}

function placesBelow(command: Command, path: readonly string[]): readonly Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const place = {
    path: path.join(' '),
    commands: commands.map((each) => ({ name: each.name(), description: each.description() })),
    flags: options.flatMap(flagsOf).filter(isFirstOfItsName),
    argument: argumentOf(command),
  };
  const below = commands.flatMap((each) =>
    each.name() === 'help'
      ? helpPlace([...path, 'help'], commands)
      : placesBelow(each, [...path, each.name()]),
  );
  return [place, ...below];
}

/** `forensics help` takes the name of any command beside it. */
function helpPlace(path: readonly string[], beside: readonly Command[]): Place {
  const choices = beside.map((each) => each.name());
  return { path: path.join(' '), commands: [], flags: [], argument: { kind: 'choice', choices } };
}

function flagsOf(option: Option): readonly Flag[] {
  const { description } = option;
  const takesValue = option.required || option.optional;
  const value = takesValue ? valueOf(option.argChoices, placeholderOf(option)) : null;
  return [option.short, option.long]
    .filter((name) => name !== undefined)
    .map((name) => ({ name, description, takesValue, value }));
}

/** A command may take an option that the one above it takes too; its own is listed first. */
function isFirstOfItsName({ name }: Flag, index: number, flags: readonly Flag[]): boolean {
  return flags.findIndex((flag) => flag.name === name) === index;
}

/** Of several arguments the first that a shell can help with; the others are names. */
function argumentOf(command: Command): Value | null {
  const values = command.registeredArguments.map((argument: Argument) =>
    valueOf(argument.argChoices, argument.name()),
  );
  return values.find((value) => value !== null) ?? null;
}

/** The word in `--out <dir>` that says what is meant. */
function placeholderOf(option: Option): string {
  return /[<[](?<word>[a-z-]+)/.exec(option.flags)?.groups?.['word'] ?? '';
}

/** The words of our help that stand for files and folders. */
const paths: Readonly<Record<string, Value>> = {
  file: { kind: 'file' },
  bundle: { kind: 'file' },
  dir: { kind: 'folder' },
  // Of `models add`: its folder.
  model: { kind: 'folder' },
};

function valueOf(choices: readonly string[] | undefined, placeholder: string): Value | null {
  return choices === undefined ? (paths[placeholder] ?? null) : { kind: 'choice', choices };
}

/** Options whose next word is a value, each behind its place: `keys rotate --grace`. */
export function valuedFlags(
  places: readonly Place[],
): readonly { readonly flag: string; readonly value: Value | null }[] {
  return places.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map(({ name, value }) => ({ flag: `${path} ${name}`, value })),
  );
}

/** For shells whose completion is a function: `file`, `folder`, the choices parted by spaces, or nothing. */
export function wordOf(value: Value | null): string {
  if (value === null) return '';
  return value.kind === 'choice' ? value.choices.join(' ') : value.kind;
}
