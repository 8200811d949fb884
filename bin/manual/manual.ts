/**
 * The manual: README.md and the pages of src/manual, with their fenced code blocks, each of which
 * has a name after its language. A reader who follows the pages in this order has what the next
 * block needs.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { topics } from '../../src/present/manual.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const pages = ['README.md', ...Object.keys(topics).map((name) => `src/manual/${name}.md`)];

export interface Block {
  /** The first word after the three backticks. */
  readonly language: string;
  /** The second word: the name that tests use for the block. */
  readonly name: string;
  readonly text: string;
}

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

export function readManual(): string {
  return pages.map(readPage).join('\n');
}

export function blocksOf(text: string): readonly Block[] {
  const fences = text.matchAll(/^```(\S*) ?(\S*)\n([^]*?)^```$/gm);
  return [...fences].map(([, language = '', name = '', body = '']) => ({
    language,
    name,
    text: body,
  }));
}

/** The page of the German manual that corresponds to a page of `src/manual`. */
export const germanOf = (page: string) => page.replace('src/manual/', 'src/manual/de/');

/** A German page with its blocks replaced by those of the English one. */
export function withBlocksOf(english: string, german: string): string {
  const fence = /^```[^]*?^```$/gm;
  const blocks = english.match(fence) ?? [];
  let at = 0;
  return german.replaceAll(fence, (own) => blocks[at++] ?? own);
}

/** @throws {Error} if the manual has no block with this name, or several. */
export function blockNamed(manual: string, name: string): Block {
  const [block, ...others] = blocksOf(manual).filter((each) => each.name === name);
  if (block === undefined || others.length > 0) {
    throw new Error(`The manual has ${others.length === 0 ? 'no' : 'several'} blocks "${name}".`);
  }
  return block;
}

export function withBlock(page: string, { language, name }: Block, text: string): string {
  const fence = `\`\`\`${language} ${name}\n`;
  if (!page.includes(fence)) throw new Error(`The page has no block "${language} ${name}".`);
  const start = page.indexOf(fence) + fence.length;
  return page.slice(0, start) + text + page.slice(page.indexOf('```\n', start));
}
