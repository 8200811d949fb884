import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createRegistry, packagedDir } from '../../src/inference/registry.ts';
import { marks, writeIntoCard } from './card.ts';
import { table, toMarkdown, toTerminal } from './table.ts';

const folder = mkdtempSync(join(tmpdir(), 'forensics-card-'));
afterAll(() => rmSync(folder, { recursive: true }));

const cardOf = (text: string) => {
  const file = join(folder, 'CARD.md');
  writeFileSync(file, text);
  return file;
};

test('measured figures replace the old ones and leave the text around them unchanged', () => {
  const file = cardOf(`# A model\n\n${marks[0]}\n\nold\n\n${marks[1]}\n\n## Limits\n`);

  writeIntoCard(file, 'once');
  writeIntoCard(file, 'new');

  expect(readFileSync(file, 'utf8')).toBe(
    `# A model\n\n${marks[0]}\n\nnew\n\n${marks[1]}\n\n## Limits\n`,
  );
});

test('a card without both marks is left unchanged', () => {
  for (const text of ['# A model\n', `# A model\n${marks[0]}\n`]) {
    const file = cardOf(text);

    writeIntoCard(file, 'new');

    expect(readFileSync(file, 'utf8')).toBe(text);
  }
});

test('the card of the packaged model has the figures of its manifest', async () => {
  const { manifest } = await createRegistry().open(null);
  const card = readFileSync(join(packagedDir, manifest.id, 'CARD.md'), 'utf8');
  const measured = card.slice(card.indexOf(marks[0]), card.indexOf(marks[1]));

  expect(manifest.measured).toHaveLength(4);
  for (const { condition, real, fake, auc } of manifest.measured) {
    expect(measured).toContain(`| ${condition} | ${real} | ${fake} | ${auc.toFixed(3)} (`);
  }
});

test('prints the same blocks for a terminal and for a card', () => {
  const blocks = [
    'Two rows.',
    table(
      ['a', 'b'],
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ),
  ];

  expect(toMarkdown(blocks)).toBe('Two rows.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |');
  expect(toTerminal(blocks)).toMatch(/^Two rows\.\n┌.*\n│ a +│ b/);
});
