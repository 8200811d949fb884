import { expect, test } from 'vitest';
import { topics as pages } from '../../src/present/manual.ts';
import { layMarkdown } from '../../src/cli/output/layout.ts';
import { runHere } from '../cli/run-cli.ts';

const topics = Object.keys(pages);

test.for(topics)('help %s prints that page without Markdown', async (topic) => {
  const { code, stdout } = await runHere(['help', topic]);

  expect(code).toBe(0);
  expect(stdout.length).toBeGreaterThan(500);
  expect(stdout).not.toMatch(/^#|^```|(?<!\*)\*\*(?!\*)|\]\(|@@|images\//m);
});

test('help without a name lists the topics', async () => {
  const { stdout: all } = await runHere(['help']);

  for (const topic of topics) expect(all).toContain(`\n  ${topic} `);
});

test('help refuses an unknown name and lists the topics', async () => {
  const { code, stderr } = await runHere(['help', 'evidences']);

  expect(code).toBe(2);
  expect(stderr).toContain("'evidences' is neither a command nor a topic");
  expect(stderr).toContain('glossary, methods');
});

test('paragraphs are wrapped, links become commands, and code is unchanged', () => {
  const page = `# Title

A *long* line with \`code\` and a [link](evidence.md#holds), **bold**,
joined to the next.

- an item
  that goes on
- another

\`\`\`sh name
first --line

second
\`\`\`

| a | b |
|---|---|
| 1 | see [this](https://example.org) |
`;

  expect(layMarkdown(page, 40)).toBe(`TITLE

  A long line with code and a link
  (forensics help evidence), bold,
  joined to the next.

  - an item that goes on
  - another

    first --line

    second

  a  b
  1  see this (https://example.org)
`);
});
