/** The German manual says the same as the English one: what a machine can tell of that. */

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../cli/run-here.ts';
import { blocksOf, germanOf, pages, readPage, root } from '../../bin/manual/manual.ts';

const english = pages.slice(1);

test('every page has a German one, and no German page stands alone', () => {
  const files = readdirSync(join(root, 'src/manual/de')).filter((name) => name.endsWith('.md'));

  expect(files.map((name) => `src/manual/de/${name}`).toSorted()).toEqual(
    english.map(germanOf).toSorted(),
  );
});

test.for(english)('the German page of %s has its headings, blocks and links', (page) => {
  const german = readPage(germanOf(page));

  expect(headingsOf(german)).toEqual(headingsOf(readPage(page)));
  expect(blocksOf(german)).toEqual(blocksOf(readPage(page)));
  expect(linksOf(germanOf(page))).toEqual(linksOf(page));
});

test.for(['commands', 'settings', 'exit-codes'])(
  'the German page "%s" lists what the program has',
  (topic) => {
    const page = `src/manual/${topic}.md`;

    expect(entriesOf(readPage(germanOf(page)))).toEqual(entriesOf(readPage(page)));
  },
);

test('help --lang de prints German pages, and lists them', async () => {
  const page = await runHere(['help', 'glossary', '--lang', 'de']);
  const list = await runHere(['help', '--lang', 'de']);

  expect(page.stdout).toMatch(/^GLOSSAR\n/);
  expect(list.stdout).toContain(
    '\n  glossary        die Begriffe in Programm, Berichten und Quelltext',
  );
});

/** Their levels, in order. */
function headingsOf(text: string): readonly string[] {
  return withoutBlocks(text).match(/^#+(?= )/gm) ?? [];
}

/** The addresses, and the files that a page of `src/manual` leads to; sections have German names. */
function linksOf(page: string): readonly string[] {
  const links = withoutBlocks(readPage(page)).matchAll(/\]\(([^)#]+)|<(https:[^>]+)>/g);
  return [...links]
    .map(([, link, address]) => address ?? join(dirname(page), link!).replace('/de/', '/'))
    .toSorted();
}

/** What stands first in list items, bold lines and rows of tables. */
function entriesOf(text: string): readonly string[] {
  return text.match(/^(?:- |\*\*|\| )(?:`[^`]+`|\d+)/gm) ?? [];
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^```[^]*?^```$/gm, '');
}
