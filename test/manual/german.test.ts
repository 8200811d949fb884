/** The German manual matches the English one, as far as a machine can tell. */

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../cli/run-cli.ts';
import { blocksOf, germanOf, pages, readPage, root } from '../../bin/manual/manual.ts';

const english = pages.slice(1);

test('every page has a German version, and every German page an English one', () => {
  const files = readdirSync(join(root, 'src/manual/de')).filter((name) => name.endsWith('.md'));

  expect(files.map((name) => `src/manual/de/${name}`).toSorted()).toEqual(
    english.map(germanOf).toSorted(),
  );
});

test.for(english)('the German version of %s has the same headings, blocks and links', (page) => {
  const german = readPage(germanOf(page));

  expect(headingsOf(german)).toEqual(headingsOf(readPage(page)));
  expect(blocksOf(german)).toEqual(blocksOf(readPage(page)));
  expect(linksOf(germanOf(page))).toEqual(linksOf(page));
});

test.for(['commands', 'settings', 'exit-codes'])(
  'the German page "%s" lists the same entries',
  (topic) => {
    const page = `src/manual/${topic}.md`;

    expect(entriesOf(readPage(germanOf(page)))).toEqual(entriesOf(readPage(page)));
  },
);

test('help --lang de lists and prints German pages', async () => {
  const page = await runHere(['help', 'glossary', '--lang', 'de']);
  const list = await runHere(['help', '--lang', 'de']);

  expect(page.stdout).toMatch(/^GLOSSAR\n/);
  expect(list.stdout).toContain(
    '\n  glossary        die Begriffe in Programm, Berichten und Quelltext',
  );
  expect(list.stdout).toMatch(/\n {2}- forensics keys rotate: Erneuert einen Schlüssel/);
  expect(list.stdout).not.toMatch(/Usage|Options|Examples/);
});

/** The levels of the headings, in order. */
function headingsOf(text: string): readonly string[] {
  return withoutBlocks(text).match(/^#+(?= )/gm) ?? [];
}

/** Addresses, and linked files relative to the English pages; anchors are omitted, as they are translated. */
function linksOf(page: string): readonly string[] {
  const links = withoutBlocks(readPage(page)).matchAll(/\]\(([^)#]+)|<(https:[^>]+)>/g);
  return [...links]
    .map(([, link, address]) => address ?? join(dirname(page), link!).replace('/de/', '/'))
    .toSorted();
}

/** The first item of list entries, bold lines and table rows. */
function entriesOf(text: string): readonly string[] {
  return text.match(/^(?:- |\*\*|\| )(?:`[^`]+`|\d+)/gm) ?? [];
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^```[^]*?^```$/gm, '');
}
