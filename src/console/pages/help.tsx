/** Help: the results, the glossary, the manual, the API, and the certificate of this server. */

import type { ComponentChildren } from 'preact';
import { resultClasses } from '../../contract/vocabulary.ts';
import { type Block, blocksIn, manualFile, topics } from '../../present/manual.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../parts/loading.ts';
import { Awaited, Dots, Facts, PageTitle, Panel, useTitle } from '../parts/pieces.tsx';

// Each page is a separate file, fetched when it is opened.
const pages = import.meta.glob<string>('../../manual/**/*.md', {
  query: '?raw',
  import: 'default',
});

export function HelpPage() {
  const { common, nav, help, list, language } = useConsole();
  return (
    <>
      <PageTitle text={nav.help} />
      <Panel title={help.results}>
        <Facts
          rows={resultClasses.map((each) => [
            <span class={`badge ${each}`}>{list.results[each]}</span>,
            help.resultTexts[each],
          ])}
        />
      </Panel>
      <div class="columns">
        <Panel title={help.manual}>
          <Dots
            items={Object.entries(topics).map(([topic, { [language]: told }]) => (
              <a href={`#/manual/${topic}`}>{told[0]}</a>
            ))}
          />
        </Panel>
        <Panel title={help.api}>
          <p>{help.apiHint}</p>
          <p>
            <a href="/docs" target="_blank" rel="noreferrer">
              {help.apiLink} ({common.newWindow})
            </a>
          </p>
          <Certificate />
        </Panel>
      </div>
      <Panel title={help.words}>
        <Facts rows={Object.entries(wordsIn(language).glossary.terms)} />
      </Panel>
    </>
  );
}

/** What a browser needs to trust this server, if the server has its own certificate authority. */
function Certificate() {
  const { help } = useConsole();
  const { data: hasAuthority } = useLoaded('ca', {
    load: async () => (await fetch('/ca.pem', { method: 'HEAD' })).ok,
  });
  if (hasAuthority !== true) return null;
  return (
    <>
      <h2>{help.ca}</h2>
      <p>{help.caHint}</p>
      <p>
        <a class="button" href="/ca.pem" download="forensics-ca.pem">
          {help.caLink}
        </a>
      </p>
      <p class="small soft">{help.caCheck}</p>
    </>
  );
}

export function ManualPage({ topic }: { readonly topic: string }) {
  const { nav, common, help, language } = useConsole();
  const title = Object.hasOwn(topics, topic) ? topics[topic]![language][0] : null;
  const file = manualFile(topic, language);
  useTitle(`${help.manual}: ${title ?? topic}`);
  const loaded = useLoaded(file, {
    load: async () => (await pages[`../../manual/${file}`]?.()) ?? '',
  });
  if (title === null) return <PageTitle text={common.pageNotFound} />;
  return (
    <>
      <p>
        <a href="#/help">‹ {nav.help}</a>
      </p>
      <Panel lang={language}>
        <Awaited loaded={loaded}>
          {(text) => <div class="stack">{blocksIn(text).map(renderBlock)}</div>}
        </Awaited>
      </Panel>
    </>
  );
}

/** Renders a page as elements. Text never becomes HTML, so nothing in a page can run. */
function renderBlock(block: Block, key: number): ComponentChildren {
  switch (block.is) {
    case 'heading': {
      const Heading = (['h1', 'h2'] as const)[block.level - 1] ?? 'h3';
      return <Heading key={key}>{inline(block.text)}</Heading>;
    }
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
                  // An empty cell must not become a heading.
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

/** Renders code, bold, emphasis and links. A link to another page of the manual stays in the console. */
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
