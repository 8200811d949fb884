/**
 * The command line: names the commands, hands each its options, and turns every failure into one line and an exit
 * code. What a command does lives in its own file and is loaded only when it is called, so that `--help` and
 * `--version` answer at once.
 */

import { Command, CommanderError, Help, type Option } from 'commander';
import { type ExitCode, exitCodes } from '../errors.ts';
import { packageVersion } from '../version.ts';
import { registerAnalyze } from './commands/analyze.ts';
import { registerAudit } from './commands/audit.ts';
import { registerBackup, registerRestore } from './commands/backup.ts';
import { registerCompletion } from './commands/completion.ts';
import { registerConfig } from './commands/config.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerFeedback } from './commands/feedback.ts';
import { registerHold } from './commands/hold.ts';
import { registerKeys } from './commands/keys.ts';
import { registerLogin, registerLogout } from './commands/login.ts';
import { registerMasterKey } from './commands/master-key.ts';
import { registerModels } from './commands/models.ts';
import { registerProfile } from './commands/profile.ts';
import { registerReport } from './commands/report.ts';
import { registerReproduce } from './commands/reproduce.ts';
import { registerServe } from './commands/serve.ts';
import { registerSigningKey } from './commands/signing-key.ts';
import { registerTenant } from './commands/tenant.ts';
import { registerUsage } from './commands/usage.ts';
import { registerUser } from './commands/user.ts';
import { registerValidate } from './commands/validate.ts';
import { registerVerify } from './commands/verify.ts';
import { registerWebhooks } from './commands/webhooks.ts';
import { registerWorker } from './commands/worker.ts';
import { tellFailure, tellUsage } from './errors.ts';
import { addExamples } from './examples.ts';
import { helpWidth, layHelp, registerHelp } from './help.ts';
import { switches, withSwitches } from './output/print.ts';
import { endOnBrokenOutput, obeyNoColor } from './output/terminal.ts';

/**
 * Runs the command that `argv` names, and answers the exit code once it is done.
 *
 * @param argv - as `process.argv`: the first two entries are skipped.
 */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  obeyNoColor(argv);
  endOnBrokenOutput();
  const program = createProgram(argv);
  try {
    await program.parseAsync([...argv]);
    return chosenExitCode();
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    return tellFailure(error, { verbose: switches().verbose });
  }
}

export function createProgram(argv: readonly string[]): Command {
  const program = withSwitches(new Command('forensics'))
    .description('Tells whether a picture is real, fake, uncertain or must be abstained from.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true, optionDescription, minWidthToWrap })
    .configureOutput({
      getOutHelpWidth: helpWidth,
      writeOut: (text) => process.stdout.write(layHelp(text, helpWidth())),
      outputError: (text, write) =>
        tellUsage(text, { argv, command: commandIn(program, argv), write }),
    })
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  $ forensics analyze photo.jpg
  $ forensics serve`,
    );
  // The order of the help: the main job first.
  program.commandsGroup('Examine pictures:');
  registerAnalyze(program);
  registerValidate(program);
  registerModels(program);
  program.commandsGroup('Evidence:');
  registerReport(program);
  registerVerify(program);
  registerReproduce(program);
  registerHold(program);
  registerAudit(program);
  registerSigningKey(program);
  program.commandsGroup('Serve:');
  registerServe(program);
  registerWorker(program);
  registerWebhooks(program);
  registerFeedback(program);
  program.commandsGroup('Administer:');
  registerTenant(program);
  registerKeys(program);
  registerUser(program);
  registerUsage(program);
  registerMasterKey(program);
  program.commandsGroup('Act on a server:');
  registerLogin(program);
  registerLogout(program);
  registerProfile(program);
  program.commandsGroup('This machine:');
  registerBackup(program);
  registerRestore(program);
  registerDoctor(program);
  registerConfig(program);
  registerCompletion(program);
  registerHelp(program);
  for (const group of program.commands.filter(({ commands }) => commands.length > 0)) {
    group.helpCommand('help [command]', 'Print the help of a command.');
  }
  addExamples(program);
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

/** A default is told only where it says something: "(default: false)" on every switch is noise. */
function optionDescription(option: Option): string {
  const { defaultValue } = option;
  const isNothing = defaultValue === false || defaultValue === null || String(defaultValue) === '';
  const shown: Option = isNothing
    ? Object.create(option, { defaultValue: { value: undefined } })
    : option;
  return new Help().optionDescription(shown);
}

/** A command that ended well may still have chosen a code: `process.exitCode` is how it says so. */
function chosenExitCode(): ExitCode {
  return Object.values(exitCodes).find((code) => code === process.exitCode) ?? exitCodes.done;
}
