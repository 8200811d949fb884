/** The command line: runs a command or prints help, and turns every failure into one line and an exit code. */

import { readFileSync } from 'node:fs';
import { Command, CommanderError, Help, Option } from 'commander';
import wrapAnsi from 'wrap-ansi';
import { type Language, languages } from '../contract/vocabulary.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { withNameBytes } from '../ports/files/byte-names.ts';
import { manualFile, topics } from '../present/manual.ts';
import { packageVersion } from '../version.ts';
import { addCommands, completeCommand } from './commands.ts';
import { printFailure, printUsageError } from './errors.ts';
import {
  exitOnBrokenOutput,
  helpWidth,
  obeyNoColor,
  switches,
  withSwitches,
} from './output/terminal.ts';

/**
 * Runs the command in `argv` and returns its exit code.
 *
 * @param given - like `process.argv`: the first two entries are skipped.
 */
export async function main(given: readonly string[]): Promise<ExitCode> {
  const argv = withNameBytes(given);
  // Commands set their exit code here; one from an earlier call must not be kept.
  process.exitCode = undefined;
  obeyNoColor(argv);
  exitOnBrokenOutput((error) => printFailure(error, { verbose: switches().verbose }));
  const program = createProgram(argv);
  try {
    const [word] = argv.slice(2).filter((each) => !each.startsWith('-'));
    const called = program.commands.find((each) => each.name() === word);
    // Before parsing, when Commander sets the defaults of options such as `--no-x`.
    if (called !== undefined) await completeCommand(called);
    await program.parseAsync([...argv]);
    // A successful command may have set a code.
    return Object.values(exitCodes).find((code) => code === process.exitCode) ?? exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    return printFailure(error, { verbose: switches().verbose });
  }
}

/** Its commands have only a name and a description until they are called. */
export function createProgram(argv: readonly string[]): Command {
  const program = withSwitches(new Command('forensics'))
    .description('Decides whether a picture is real or fake, and says so if it cannot tell.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true, optionDescription, minWidthToWrap })
    .configureOutput({
      getOutHelpWidth: helpWidth,
      writeOut: (text) => process.stdout.write(layHelp(text, helpWidth())),
      outputError: (text, write) =>
        printUsageError(text, { command: commandIn(program, argv), write }),
    })
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  $ forensics analyze photo.jpg
  $ forensics serve
  $ forensics help methods   (the manual; "forensics help" lists its topics)`,
    );
  addCommands(program);
  addHelp(program);
  return program;
}

function addHelp(program: Command): void {
  program
    .command('help')
    .description('Print the help of a command, or a page of the manual.')
    .helpGroup('This machine:')
    .argument('[command...]', 'a command and its subcommand, or a topic of the manual')
    .addOption(
      new Option('--lang <language>', 'language of the manual').choices(languages).default('en'),
    )
    .addHelpText(
      'after',
      `
Examples:
  $ forensics help analyze
  $ forensics help keys rotate
  $ forensics help methods --lang de`,
    )
    .action((names: readonly string[], { lang }: { readonly lang: Language }, help: Command) =>
      printHelp(help, names, lang),
    );
}

/** Prints the help of a command, such as `keys rotate`, or a page of the manual. @param help - the command `help`. */
async function printHelp(
  help: Command,
  names: readonly string[],
  language: Language,
): Promise<void> {
  const [first] = names;
  if (first !== undefined && Object.hasOwn(topics, first)) {
    const { layMarkdown } = await import('./output/layout.ts');
    // The path is the same from `src/cli` and `dist/cli`: pages are not compiled.
    const page = new URL(`../../src/manual/${manualFile(first, language)}`, import.meta.url);
    process.stdout.write(layMarkdown(readFileSync(page, 'utf8'), helpWidth()));
    return;
  }
  if (first === undefined) help.parent!.addHelpText('after', `\n${topicList(language)}`);
  let command = help.parent!;
  for (const name of names) {
    command = commandBelow(command, name);
    // oxlint-disable-next-line no-await-in-loop -- its own commands are known only then
    await completeCommand(command);
  }
  command.help();
}

function commandBelow(command: Command, name: string): Command {
  const below = command.commands.find((each) => each.name() === name);
  if (below !== undefined) return below;
  const known = Object.keys(topics).join(', ');
  return command.error(
    command.parent === null
      ? `error: '${name}' is neither a command nor a topic; the topics are ${known}`
      : `error: unknown command '${name}'`,
  );
}

function topicList(language: Language): string {
  const width = Math.max(...Object.keys(topics).map((name) => name.length));
  const lines = Object.entries(topics).map(
    ([name, { [language]: topic }]) => `  ${name.padEnd(width)}  ${topic[1]}`,
  );
  const head = {
    en: 'Topics of the manual (forensics help TOPIC):',
    de: 'Seiten des Handbuchs (forensics help SEITE --lang de):',
  };
  return [head[language], ...lines].join('\n');
}

/** The program with every command loaded, for callers that list them all. */
export async function createWholeProgram(): Promise<Command> {
  const program = createProgram([]);
  await Promise.all(program.commands.map(completeCommand));
  return program;
}

/** The words of the innermost command on the command line, without anything else. */
function commandIn(program: Command, argv: readonly string[]): string {
  let at = program;
  const words: string[] = [];
  for (const word of argv) {
    const next = at.commands.find((each) => each.name() === word && word !== 'help');
    if (next === undefined) continue;
    at = next;
    words.push(word);
  }
  return words.join(' ');
}

/** The minimum width of a description. */
const minWidthToWrap = 20;

/**
 * Wraps paragraphs, which are consecutive lines that start at the margin. Indented lines are left alone: options are
 * already laid out, and examples are copied as a whole.
 */
function layHelp(text: string, columns: number): string {
  return text.replaceAll(/^\S.*(?:\n\S.*)*/gm, (paragraph) =>
    wrapAnsi(paragraph.replaceAll('\n', ' '), columns),
  );
}

/** Defaults are printed only where they help: "(default: false)" on every switch would be noise. */
function optionDescription(option: Option): string {
  const { defaultValue } = option;
  const isNothing = defaultValue === false || defaultValue === null || String(defaultValue) === '';
  const shown: Option = isNothing
    ? Object.create(option, { defaultValue: { value: undefined } })
    : option;
  return new Help().optionDescription(shown);
}
