/** The command line: runs the command that is called, and converts every failure into one line and an exit code. */

import { Command, CommanderError, Help, type Option } from 'commander';
import wrapAnsi from 'wrap-ansi';
import { type ExitCode, exitCodes } from '../errors.ts';
import { withNameBytes } from '../ports/files/byte-names.ts';
import { packageVersion } from '../version.ts';
import { addCommands, completeCommand } from './commands.ts';
import { endOnBrokenOutput, printFailure, printUsageError } from './errors.ts';
import { helpWidth, obeyNoColor, switches, withSwitches } from './output/terminal.ts';

/**
 * Runs the command that `argv` names, and answers the exit code once it is done.
 *
 * @param given - as `process.argv`: the first two entries are skipped.
 */
export async function main(given: readonly string[]): Promise<ExitCode> {
  const argv = withNameBytes(given);
  // Commands choose their exit code there; the choice of an earlier call does not apply to this one.
  process.exitCode = undefined;
  obeyNoColor(argv);
  endOnBrokenOutput();
  const program = createProgram(argv);
  try {
    await completeCalled(program, argv);
    await program.parseAsync([...argv]);
    return chosenExitCode();
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    return printFailure(error, { verbose: switches().verbose });
  }
}

/** Its commands have no more than a name and a description until they are called. */
export function createProgram(argv: readonly string[]): Command {
  const program = withSwitches(new Command('forensics'))
    .description('Tells whether a picture is real, fake, uncertain or cannot be judged.')
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
    .argument('[command...]', 'a command and the one below it, or a topic of the manual')
    .addHelpText(
      'after',
      `
Examples:
  $ forensics help analyze
  $ forensics help keys rotate
  $ forensics help methods`,
    )
    .action(async (names: readonly string[], _own: unknown, help: Command) => {
      const { printHelp } = await import('./help.ts');
      await printHelp(help, names, completeCommand);
    });
}

/** Before the line is parsed: commander gives an option `--no-x` its default when the parsing begins. */
async function completeCalled(program: Command, argv: readonly string[]): Promise<void> {
  const [word] = argv.slice(2).filter((each) => !each.startsWith('-'));
  const called = program.commands.find((each) => each.name() === word);
  if (called !== undefined) await completeCommand(called);
}

/** The program with every command loaded, for callers that list them all. */
export async function createWholeProgram(): Promise<Command> {
  const program = createProgram([]);
  await Promise.all(program.commands.map(completeCommand));
  return program;
}

/** The words of the deepest command that the line names, whatever stands around them. */
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

/** Columns that a description gets at least before it is wrapped. */
const minWidthToWrap = 20;

/**
 * Paragraphs are the runs of lines that begin at the margin; each is wrapped anew. What is indented stays as it stands:
 * options are laid out already, and an example is copied as a whole.
 */
function layHelp(text: string, columns: number): string {
  const laid: string[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    if (paragraph.length > 0) laid.push(wrapAnsi(paragraph.join(' '), columns));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) {
      paragraph.push(line);
    } else {
      flush();
      laid.push(line);
    }
  }
  flush();
  return laid.join('\n');
}

/** A default is printed only where it helps: "(default: false)" on every switch is noise. */
function optionDescription(option: Option): string {
  const { defaultValue } = option;
  const isNothing = defaultValue === false || defaultValue === null || String(defaultValue) === '';
  const shown: Option = isNothing
    ? Object.create(option, { defaultValue: { value: undefined } })
    : option;
  return new Help().optionDescription(shown);
}

/** A command that ended well may still have chosen a code: it sets `process.exitCode`. */
function chosenExitCode(): ExitCode {
  return Object.values(exitCodes).find((code) => code === process.exitCode) ?? exitCodes.done;
}
