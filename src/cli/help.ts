/**
 * `forensics help keys rotate` prints the help of a command, `forensics help TOPIC` a page of the manual: Markdown as plain
 * text, headings at the margin and everything else indented.
 */

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import wrapAnsi from 'wrap-ansi';
import { listTable } from './output/layout.ts';
import { helpWidth } from './output/terminal.ts';

/**
 * @param help - the command of that name.
 * @param complete - loads the options and verbs of a command of the program.
 */
export async function printHelp(
  help: Command,
  names: readonly string[],
  complete: (command: Command) => Promise<void>,
): Promise<void> {
  const [first] = names;
  if (first !== undefined && isTopic(first)) {
    process.stdout.write(topicText(first, helpWidth()));
    return;
  }
  if (first === undefined) help.parent!.addHelpText('after', `\n${topicList()}`);
  let command = help.parent!;
  for (const name of names) {
    command = commandBelow(command, name);
    // oxlint-disable-next-line no-await-in-loop -- its own commands are known only then
    await complete(command);
  }
  command.help();
}

function commandBelow(command: Command, name: string): Command {
  const below = command.commands.find((each) => each.name() === name);
  if (below !== undefined) return below;
  const known = Object.keys(topics).join(', ');
  return command.error(
    command.parent === null
      ? `error: '${name}' is neither a command nor a topic; topics are ${known}`
      : `error: unknown command '${name}'`,
  );
}

/** In the order of the list, each with a description. */
export const topics = {
  glossary: 'the words that the program, the reports and the source code use',
  methods: 'what is examined, how a verdict comes about, how to read maps',
  accuracy: 'how often it is wrong, how fast it is, what it cannot do',
  speed: 'how long each step of an examination takes',
  evidence: 'reports, signed bundles, custody, audit log, your own error rates',
  console: 'the web page: first account, analyses, administration',
  server: 'the HTTP interface, and using a server from another machine',
  administration: 'tenants, keys, users, stores, webhooks, retention, models',
  ci: 'many pictures, output formats, pipelines, key rotation',
  deployment: 'systemd, proxy, container, no network, doctor, backup, security',
  machines: 'PostgreSQL, a bucket, and as many servers and workers as needed',
  security: 'what is protected against whom, how that is tested, how to report problems',
  library: 'examine and verify in your own program',
  commands: 'every command and option',
  settings: 'every setting, as flag, variable and in the config file',
  'exit-codes': 'exit codes, error codes and HTTP status',
  architecture: 'the source code: its rooms, and three paths through them',
} as const;

type Topic = keyof typeof topics;

function isTopic(name: string): name is Topic {
  return Object.hasOwn(topics, name);
}

function topicList(): string {
  const width = Math.max(...Object.keys(topics).map((name) => name.length));
  const lines = Object.entries(topics).map(([name, about]) => `  ${name.padEnd(width)}  ${about}`);
  return ['Topics of the manual (forensics help TOPIC):', ...lines].join('\n');
}

function topicText(topic: Topic, columns: number): string {
  // The same path from `src/cli` and `dist/cli`: pages are not compiled.
  const page = new URL(`../../src/manual/${topic}.md`, import.meta.url);
  return plainText(readFileSync(page, 'utf8'), columns);
}

const indent = '  ';

export function plainText(markdown: string, columns: number): string {
  const width = columns - indent.length;
  const parts = markdown.trimEnd().split(/^(```[^]*?^```)$|\n{2,}/m);
  return parts
    .filter((part) => part !== undefined && part.trim() !== '')
    .map((part) => layPart(part.replace(/^\n+|\n+$/g, ''), width))
    .join('\n\n')
    .concat('\n');
}

function layPart(part: string, width: number): string {
  if (part.startsWith('#')) return inline(part.replace(/^#+ /, '')).toUpperCase();
  const lines = part.split('\n');
  return indented(layLines(part, lines, width), indent);
}

function layLines(part: string, lines: readonly string[], width: number): readonly string[] {
  if (part.startsWith('```'))
    return lines.slice(1, -1).map((line) => (line === '' ? '' : indent + line));
  if (part.startsWith('|')) return layTable(lines, width);
  if (part.startsWith('- '))
    return part
      .split(/^- /m)
      .slice(1)
      .flatMap((item) => layItem(item, width));
  return wrap(inline(joined(part)), width);
}

function layItem(item: string, width: number): readonly string[] {
  return wrap(inline(joined(item)), width - 2).map((line, at) => (at === 0 ? '- ' : '  ') + line);
}

function layTable(lines: readonly string[], width: number): readonly string[] {
  const [head = [], , ...rows] = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => inline(cell.trim())),
  );
  return listTable(head, rows, width).split('\n');
}

/** Links become the command that prints the page, or their address. */
function inline(text: string): string {
  return text
    .replaceAll(/\[([^\]]+)\]\(([a-z-]+)\.md(?:#[^)]*)?\)/g, '$1 (forensics help $2)')
    .replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 ($2)')
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/\*([^*\s][^*]*)\*/g, '$1');
}

const wrap = (text: string, columns: number) => wrapAnsi(text, columns).split('\n');

const joined = (text: string) =>
  text
    .trim()
    .split(/\s*\n\s*/)
    .join(' ');

function indented(lines: readonly string[], by: string): string {
  return lines.map((line) => (line === '' ? '' : by + line)).join('\n');
}
