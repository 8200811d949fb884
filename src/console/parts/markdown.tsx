/**
 * The pages of our own manual as elements: headings, paragraphs, lists, tables, code. Text never becomes markup of the
 * browser, so nothing in a page can act.
 */

import type { ComponentChildren } from 'preact';

export function Markdown({ text }: { readonly text: string }) {
  return <div class="manual">{blocksOf(text).map(renderBlock)}</div>;
}

export type Block =
  | { readonly is: 'heading'; readonly level: number; readonly text: string }
  | { readonly is: 'paragraph'; readonly text: string }
  | { readonly is: 'code'; readonly text: string }
  | { readonly is: 'list'; readonly isOrdered: boolean; readonly items: readonly string[] }
  | {
      readonly is: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

export function blocksOf(text: string): readonly Block[] {
  // Images are not part of the console.
  const lines = text.replaceAll(/<!--[\s\S]*?-->| ?!\[[^\]]*\]\([^)]*\)/g, '').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  /** Takes lines as long as they are such. */
  const take = (isSuch: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && isSuch(lines[at]!)) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at]!;
    const heading = /^(#{1,4}) (.*)$/.exec(line);
    if (line.trim() === '') at++;
    else if (heading !== null) {
      blocks.push({ is: 'heading', level: heading[1]!.length, text: heading[2]! });
      at++;
    } else if (line.startsWith('```')) {
      at++;
      const code = take((each) => !each.startsWith('```'));
      at++;
      blocks.push({ is: 'code', text: code.join('\n') });
    } else if (line.startsWith('|')) {
      const [head, , ...rows] = take((each) => each.startsWith('|')).map(cellsOf);
      blocks.push({ is: 'table', head: head!, rows });
    } else if (listItem.test(line)) {
      const isOrdered = /^\d/.test(line);
      const all = take((each) => listItem.test(each) || /^ {2,}\S/.test(each));
      const items: string[] = [];
      for (const each of all) {
        if (listItem.test(each)) items.push(each.replace(listItem, ''));
        else items.push(`${items.pop() ?? ''} ${each.trim()}`);
      }
      blocks.push({ is: 'list', isOrdered, items });
    } else {
      const some = take((each) => each.trim() !== '' && !/^(#|```|\||[-*] |\d+\. )/.test(each));
      // A line that begins like something else, and is nothing else.
      if (some.length === 0) some.push(lines[at++]!);
      blocks.push({ is: 'paragraph', text: some.join(' ') });
    }
  }
  return blocks;
}

const listItem = /^(?:[-*]|\d+\.) +/;

function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function renderBlock(block: Block, key: number): ComponentChildren {
  switch (block.is) {
    case 'heading':
      if (block.level === 1) return <h1 key={key}>{inline(block.text)}</h1>;
      return block.level === 2 ? (
        <h2 key={key}>{inline(block.text)}</h2>
      ) : (
        <h3 key={key}>{inline(block.text)}</h3>
      );
    case 'paragraph':
      return <p key={key}>{inline(block.text)}</p>;
    case 'code':
      return (
        <pre key={key} tabIndex={0}>
          {block.text}
        </pre>
      );
    case 'list': {
      const items = block.items.map((item, at) => <li key={at}>{inline(item)}</li>);
      return block.isOrdered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>;
    }
    case 'table':
    default:
      return (
        <div key={key} class="scroll" tabIndex={0} role="group">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, at) =>
                  // A cell without a word heads nothing.
                  cell === '' ? (
                    <td key={at} />
                  ) : (
                    <th key={at} scope="col">
                      {inline(cell)}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column}>{inline(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}

/** Code, bold, emphasis and links; a link to another page of the manual stays in the console. */
function inline(text: string): ComponentChildren {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*|\[[^\]]+\]\([^)]+\))/);
  return parts.map((part, key) => {
    if (part.startsWith('`')) return <code key={key}>{part.slice(1, -1)}</code>;
    if (part.startsWith('**')) return <strong key={key}>{inline(part.slice(2, -2))}</strong>;
    if (/^\*\S.*\*$/.test(part)) return <em key={key}>{inline(part.slice(1, -1))}</em>;
    const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part);
    if (link === null) return part;
    const page = /^([\w-]+)\.md/.exec(link[2]!)?.[1];
    return page === undefined ? (
      <span key={key}>{link[1]}</span>
    ) : (
      <a key={key} href={`#/manual/${page}`}>
        {link[1]}
      </a>
    );
  });
}
