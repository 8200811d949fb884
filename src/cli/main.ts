/** The command line: runs a command or prints help, and turns every failure into one line and an exit code. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CommanderError, Help, Option } from 'commander';
import { Command } from './options.ts';
import { type Language, languages } from '../contract/vocabulary.ts';
import { type ExitCode, exitCodes } from '../contract/errors.ts';
import { withNameBytes } from '../ports/files/byte-names.ts';
import { manualFile, topics } from '../present/manual.ts';
import { packageVersion } from '../version.ts';
import { printFailure, printUsageError } from './errors.ts';
import {
  exitOnBrokenOutput,
  helpWidth,
  obeyNoColor,
  switches,
  withSwitches,
} from './output/terminal.ts';

/** @param given - like `process.argv`: the first two entries are skipped. */
export async function main(given: readonly string[]): Promise<ExitCode> {
  const argv = withNameBytes(given);
  // Commands set their exit code here; a code from an earlier call must not be kept.
  process.exitCode = undefined;
  obeyNoColor(argv);
  exitOnBrokenOutput((error) => printFailure(error, { verbose: switches().verbose }));
  const program = createProgram(argv);
  try {
    const [word] = argv.slice(2).filter((each) => !each.startsWith('-'));
    const called = program.commands.find((each) => each.name() === word);
    // Must come before parsing, because Commander then sets the defaults of options such as `--no-x`.
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

/** Until they are called, its commands have only a name and a description. */
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
    .helpAfter(`
Examples:
  $ forensics analyze photo.jpg
  $ forensics serve
  $ forensics help methods   (the manual; "forensics help" lists its topics)`);
  for (const [group, entries] of Object.entries(commands)) {
    for (const [name, description] of Object.entries(entries)) {
      const command = program.command(name).description(description).helpGroup(group);
      notLoaded.set(command, definitions[name]!);
    }
  }
  program
    .command('help')
    .description('Print the help of a command, or a page of the manual.')
    .helpGroup('This machine:')
    .argument('[command...]', 'a command and its subcommand, or a topic of the manual')
    .addOption(
      new Option('--lang <language>', 'language of the manual').choices(languages).default('en'),
    )
    .helpAfter(`
Examples:
  $ forensics help analyze
  $ forensics help keys rotate
  $ forensics help methods --lang de`)
    .action((names: readonly string[], { lang }: { readonly lang: Language }) =>
      printHelp(program, names, lang),
    );
  return program;
}

/** Prints the help of a command, such as `keys rotate`, or a page of the manual. */
async function printHelp(
  program: Command,
  names: readonly string[],
  language: Language,
): Promise<void> {
  const [first] = names;
  if (first !== undefined && Object.hasOwn(topics, first)) {
    return printMarkdown(readPage(first, language));
  }
  if (first === undefined && language !== 'en') {
    // Commands describe themselves in English, so this prints the page about them without their own options.
    const [intro = '', ...groups] = readPage('commands', language).split(/^(?=## )/m);
    const entries = groups.join('').match(/^(?:## |\*\*`).*$/gm) ?? [];
    const listed = entries.map((line) => line.replace(/^\*\*(`.*?`)\*\*/, '- $1:'));
    await printMarkdown(intro + listed.join('\n'));
    process.stdout.write(`\n${topicList(language)}\n`);
    return;
  }
  if (first === undefined) program.helpAfter(`\n${topicList(language)}`);
  let command = program;
  for (const name of names) {
    command = commandBelow(command, name);
    // oxlint-disable-next-line no-await-in-loop -- its subcommands are known only once it is loaded
    await completeCommand(command);
  }
  command.help();
}

function readPage(topic: string, language: Language): string {
  // The path is the same from `src/cli` and `dist/cli`: pages are not compiled.
  const page = new URL(`../../src/manual/${manualFile(topic, language)}`, import.meta.url);
  return readFileSync(page, 'utf8');
}

async function printMarkdown(text: string): Promise<void> {
  const { layMarkdown } = await import('./output/layout.ts');
  process.stdout.write(layMarkdown(text, helpWidth()));
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

export async function createWholeProgram(): Promise<Command> {
  const program = createProgram([]);
  await Promise.all(program.commands.map(completeCommand));
  return program;
}

/** The words of the innermost command on the command line, without anything else. */
function commandIn(program: Command, argv: readonly string[]): string {
  let at = program;
  const words = argv.filter((word) => {
    const next = at.commands.find((each) => each.name() === word && word !== 'help');
    at = next ?? at;
    return next !== undefined;
  });
  return words.join(' ');
}

const loadModule = createRequire(import.meta.url);

/** Descriptions are wrapped only if they get at least this width. */
const minWidthToWrap = 20;

/** Wraps lines that start at the margin. Indented ones stay: options are laid out, and examples are copied whole. */
function layHelp(text: string, columns: number): string {
  // Not with import(), because Commander writes synchronously; every command would wait 20 ms for it.
  const { default: wrapAnsi }: typeof import('wrap-ansi') = loadModule('wrap-ansi');
  return text.replaceAll(/^\S.*(?:\n\S.*)*/gm, (paragraph) =>
    wrapAnsi(paragraph.replaceAll('\n', ' '), columns),
  );
}

/** Defaults are printed only where they help: "(default: false)" on every switch would be noise. */
function optionDescription(option: Option): string {
  const { defaultValue } = option;
  const isNothing = defaultValue === false || defaultValue === null || String(defaultValue) === '';
  const without = { defaultValue: { value: undefined } };
  const shown: Option = isNothing ? Object.create(option, without) : option;
  return new Help().optionDescription(shown);
}

/** The description of each command, in groups and in the order in which the help lists them. */
const commands = {
  'Examine pictures:': {
    analyze: 'Examine pictures on this machine, without a network, or on a server (--url).',
    validate: 'Measure the error rates of the model on your own labelled pictures.',
    models: 'List and verify the models that verdicts are based on.',
  },
  'Evidence:': {
    report:
      'Write the signed evidence bundle of a stored analysis or, from a server, its result, heatmaps and reports.',
    verify: 'Check every byte of an evidence bundle, its signature and its key.',
    reproduce:
      'Examine the picture of an evidence bundle again, and compare every field and pixel.',
    hold: 'Prevent analyses from being purged, for example when a court requires them to be kept.',
    audit: 'Read and verify the log of who did what, when.',
    'signing-key': 'Show, export or replace the key that signs evidence bundles.',
  },
  'Serve:': {
    serve: 'Serve the HTTP API over TLS, with the database, the store and the workers built in.',
    worker: 'Run analyses from a data folder alongside its server.',
    health: 'Check whether the server on this machine is working.',
    webhooks: 'List, replay and test the webhook messages of tenants.',
    feedback: 'Read feedback from users.',
  },
  'Administer:': {
    tenant: 'Create, list, show, change and delete tenants.',
    keys: 'Create, list, rotate and revoke API keys.',
    user: 'Create, list, show, change and disable accounts.',
    usage: 'Show usage by tenant.',
    'master-key': 'Replace the key that encrypts the secrets in the data folder.',
    migrate: 'Move the data folder to PostgreSQL and a bucket, which several machines can share.',
  },
  'Act on a server:': {
    login: 'Save a server and an API key as a profile.',
    profile: 'List and remove saved servers.',
  },
  'This machine:': {
    backup: 'Back up the data folder while its server runs; check a backup.',
    restore: 'Restore a data folder from a backup, on this machine or another.',
    doctor: 'Check everything the service needs, and say how to fix problems.',
    config: 'Show the settings and where they come from.',
  },
} as const;

/** Loads what adds everything to a command except its name and description. */
const definitions: Readonly<Record<string, () => Promise<(command: Command) => void>>> = {
  analyze: async () => (await import('./commands/analyze.ts')).defineAnalyze,
  validate: async () => (await import('./commands/validate.ts')).defineValidate,
  models: async () => (await import('./commands/models.ts')).defineModels,
  report: async () => (await import('./commands/report.ts')).defineReport,
  verify: async () => (await import('./commands/bundle.ts')).defineVerify,
  reproduce: async () => (await import('./commands/bundle.ts')).defineReproduce,
  hold: async () => (await import('./commands/hold.ts')).defineHold,
  audit: async () => (await import('./commands/audit.ts')).defineAudit,
  'signing-key': async () => (await import('./commands/installation-keys.ts')).defineSigningKey,
  serve: async () => (await import('./commands/serve.ts')).defineServe,
  worker: async () => (await import('./commands/serve.ts')).defineWorker,
  health: async () => (await import('./commands/health.ts')).defineHealth,
  webhooks: async () => (await import('./commands/webhooks.ts')).defineWebhooks,
  feedback: async () => (await import('./commands/feedback.ts')).defineFeedback,
  tenant: async () => (await import('./commands/tenant.ts')).defineTenant,
  keys: async () => (await import('./commands/keys.ts')).defineKeys,
  user: async () => (await import('./commands/user.ts')).defineUser,
  usage: async () => (await import('./commands/tenant.ts')).defineUsage,
  'master-key': async () => (await import('./commands/installation-keys.ts')).defineMasterKey,
  migrate: async () => (await import('./commands/migrate.ts')).defineMigrate,
  login: async () => (await import('./commands/login.ts')).defineLogin,
  profile: async () => (await import('./commands/login.ts')).defineProfile,
  backup: async () => (await import('./commands/backup.ts')).defineBackup,
  restore: async () => (await import('./commands/backup.ts')).defineRestore,
  doctor: async () => (await import('./commands/doctor.ts')).defineDoctor,
  config: async () => (await import('./commands/config.ts')).defineConfig,
};

const notLoaded = new WeakMap<Command, (typeof definitions)[string]>();

async function completeCommand(command: Command): Promise<void> {
  const load = notLoaded.get(command);
  if (load === undefined) return;
  notLoaded.delete(command);
  const define = await load();
  define(command);
  if (command.commands.length > 0) {
    command.helpCommand('help [command]', 'Print the help of a command.');
  }
}
