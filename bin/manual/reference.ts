/** The pages of the manual that the code writes: commands from commander's tree, settings and failures from their tables. */

import type { Command, Option } from 'commander';
import { createWholeProgram } from '../../src/cli/main.ts';
import {
  allowedFor,
  settingNames,
  settingsSchema,
  shownDefault,
  variableOf,
} from '../../src/contract/settings.ts';
import { exitCodes, failures } from '../../src/errors.ts';

/** The text of each page that the code writes, by its path. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  return {
    'src/manual/commands.md': page('Commands', commandsIntro, await commands()),
    'src/manual/settings.md': page('Settings', settingsIntro, settingsTable()),
    'src/manual/exit-codes.md': page('Exit codes', exitCodesIntro, exits()),
  };
}

const page = (title: string, intro: string, body: string) => `# ${title}\n\n${intro}\n\n${body}\n`;

const commandsIntro =
  'Written by `npm run manual`. `forensics help COMMAND` prints one command with examples.';

const settingsIntro = `Written by \`npm run manual\`. A flag beats the environment, the environment beats the config file, and the file beats the
default. The config file is the one named by \`--config\` or \`FORENSICS_CONFIG\`, else \`forensics/config.json\` below
\`$XDG_CONFIG_HOME\`. Settings with a flag take it on \`forensics serve\`. \`forensics config show --origin\` prints the value
of every setting and where it comes from, with secrets masked.`;

const exitCodesIntro = `Written by \`npm run manual\`. Codes 10, 11 and 12 are used only on request: \`analyze --fail-on\`, \`keys list
--expiring-within\`. One picture that fails exits with its own code; a batch in which some pictures failed exits with 1. The
same error word appears in the header \`x-error-code\` of the HTTP interface and in the JSON output of \`analyze\`.`;

/** An option that at least so many commands take is described once, before all commands. */
const commonFrom = 8;

async function commands(): Promise<string> {
  const program = await createWholeProgram();
  const lines = leavesOf(program).flatMap((leaf) => optionsOf(leaf).map(lineOf));
  const isCommon = (line: string) => lines.filter((each) => each === line).length >= commonFrom;
  const groups = new Set(program.commands.map((command) => command.helpGroup()));
  const parts = [...groups].flatMap((group) => [
    `## ${group.replace(/:$/, '')}`,
    ...program.commands
      .filter((command) => command.helpGroup() === group)
      .flatMap(leavesOf)
      .map((leaf) => commandPart(leaf, isCommon)),
  ]);
  return [
    'Options for every command:',
    optionsOf(program).map(lineOf).join('\n'),
    'Options shared by many commands:',
    [...new Set(lines.filter(isCommon))].join('\n'),
    ...parts,
  ].join('\n\n');
}

function commandPart(leaf: Command, isCommon: (line: string) => boolean): string {
  const options = optionsOf(leaf).map((option) => ({ option, line: lineOf(option) }));
  const own = options.filter(({ line }) => !isCommon(line)).map(({ line }) => line);
  const shared = options.filter(({ line }) => isCommon(line)).map(({ option }) => nameOf(option));
  const also = shared.length === 0 ? [] : [`- shared options: ${shared.join(', ')}`];
  const list = [...own, ...also];
  const head = `**\`${usageOf(leaf)}\`** ${leaf.description()}`;
  return list.length === 0 ? head : `${head}\n\n${list.join('\n')}`;
}

/** The commands that do something: not those that only hold others, and no help. */
function leavesOf(command: Command): readonly Command[] {
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');
  const isAct = command.parent !== null && (below.length === 0 || optionsOf(command).length > 0);
  return [...(isAct ? [command] : []), ...below.flatMap(leavesOf)];
}

function optionsOf(command: Command): readonly Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help' && long !== '--version');
}

function usageOf(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each !== null; each = each.parent) {
    names.unshift(each.name());
  }
  const words = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [...names, ...words].join(' ');
}

const nameOf = ({ long, short }: Option) => `\`${long ?? short}\``;

function lineOf(option: Option): string {
  const { flags, description, argChoices, mandatory } = option;
  const notes = [
    ...(mandatory ? ['required'] : []),
    ...(argChoices === undefined ? [] : [argChoices.join(' | ')]),
    ...defaultOf(option),
  ];
  const note = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  return `- \`${flags}\` ${description}${note}`;
}

function defaultOf(option: Option): readonly string[] {
  const { defaultValue, defaultValueDescription } = option;
  // It is that of the machine that wrote the manual.
  if (option.attributeName() === 'jobs') return ['default: the cores, at most 4'];
  if (defaultValueDescription !== undefined) return [`default: ${defaultValueDescription}`];
  const isText = typeof defaultValue === 'string' || typeof defaultValue === 'number';
  return isText && defaultValue !== '' ? [`default: ${defaultValue}`] : [];
}

function exits(): string {
  const named = Object.entries(failures);
  const rows = [...new Set(Object.values(exitCodes))].map((exit) => {
    const words = Object.entries(exitCodes)
      .filter(([, code]) => code === exit)
      .map(([name]) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
    const codes = named
      .filter(([, each]) => each.exit === exit)
      .map(([code, { status }]) => `\`${code}\` ${status}`);
    return `| ${exit} | ${words.join(', ')} | ${codes.join(', ')} |`;
  });
  return [
    '| exit code | meaning | error codes with their HTTP status |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

function settingsTable(): string {
  const rows = settingNames.map((name) => {
    const { description } = settingsSchema.properties[name];
    const cells = [`\`${name}\``, `\`${variableOf(name)}\``, shownDefault(name) ?? 'none'];
    return `| ${cells.join(' | ')} | ${description} (${allowedFor(name)}) |`;
  });
  return ['| in a file | as a variable | default | |', '|---|---|---|---|', ...rows].join('\n');
}
