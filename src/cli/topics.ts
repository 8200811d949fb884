/** The manual, one Markdown page a topic, as plain text: headings at the margin, everything else indented below them. */

import { readFileSync } from 'node:fs';
import wrapAnsi from 'wrap-ansi';
import { listTable } from './output/layout.ts';

/** In the order in which they are listed, with what each is about. */
export const topics = {
  glossary: 'the words that the program, the reports and the source code use',
  methods: 'what is examined, how a verdict comes about, how to read maps',
  accuracy: 'how often it errs, how fast it is, what it cannot do',
  speed: 'where the time of one picture goes, step by step',
  evidence: 'reports, signed bundles, custody, audit log, your own error rates',
  console: 'the web page: first account, analyses, administration',
  server: 'the HTTP interface, and using a server from another machine',
  administration: 'tenants, keys, users, stores, webhooks, retention, models',
  ci: 'many pictures, output formats, pipelines, key rotation',
  deployment: 'systemd, proxy, container, no network, doctor, backup, security',
  machines: 'PostgreSQL, a bucket, and as many servers and workers as needed',
  security: 'what is protected against whom, how that is tested, how to report',
  library: 'examine and verify from your own program',
  commands: 'every command and option',
  settings: 'every setting, as flag, variable and in the config file',
  'exit-codes': 'exit codes, error codes and HTTP status',
  architecture: 'the source code: its rooms, and three paths through them',
} as const;

type Topic = keyof typeof topics;

export function isTopic(name: string): name is Topic {
  return Object.hasOwn(topics, name);
}

export function topicList(): string {
  const width = Math.max(...Object.keys(topics).map((name) => name.length));
  const lines = Object.entries(topics).map(([name, about]) => `  ${name.padEnd(width)}  ${about}`);
  return ['Topics of the manual (forensics help TOPIC):', ...lines].join('\n');
}

export function topicText(topic: Topic, columns: number): string {
  // The same from `src/cli` and from `dist/cli`: pages are not compiled.
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
