/** Help: the results, the glossary, the manual, the interface, and the certificate of this server. */

import { useEffect } from 'preact/hooks';
import { resultClasses } from '../../contract/vocabulary.ts';
import { glossary as glossaryDe } from '../../present/wording/de/glossary.ts';
import { glossary as glossaryEn } from '../../present/wording/en/glossary.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../parts/loading.ts';
import { Awaited, Facts, PageTitle, Panel } from '../parts/pieces.tsx';
import { Markdown } from '../parts/markdown.tsx';

// Each page is a file of its own, fetched when it is opened.
const pages = import.meta.glob<string>('../../manual/*.md', { query: '?raw', import: 'default' });
const topics = Object.keys(pages).map((path) => /([\w-]+)\.md$/.exec(path)![1]!);

export function HelpPage() {
  const { words, language } = useConsole();
  const { help, list } = words;
  const { terms } = language === 'de' ? glossaryDe : glossaryEn;
  return (
    <>
      <PageTitle text={help.title} />
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
          {language !== 'en' && <p class="soft small">{help.manualHint}</p>}
          <ul class="dots">
            {topics.map((topic) => (
              <li key={topic}>
                <a href={`#/manual/${topic}`}>{titleOf(topic)}</a>
              </li>
            ))}
          </ul>
        </Panel>
        <Panel title={help.api}>
          <p>{help.apiHint}</p>
          <p>
            <a href="/docs" target="_blank" rel="noreferrer">
              {help.apiLink} ({words.common.newWindow})
            </a>
          </p>
          <Certificate />
        </Panel>
      </div>
      <Panel title={help.words}>
        <Facts rows={Object.values(terms).map(({ term, meaning }) => [term, meaning])} />
      </Panel>
    </>
  );
}

/** What a browser needs to trust this server, where it has an authority of its own. */
function Certificate() {
  const { help } = useConsole().words;
  const { data: hasAuthority } = useLoaded('ca', {
    load: async () => (await fetch('/ca.pem', { method: 'HEAD' })).ok,
  });
  return (
    <>
      <h2>{help.ca}</h2>
      {hasAuthority === true && (
        <>
          <p>{help.caHint}</p>
          <p>
            <a class="button" href="/ca.pem" download="forensics-ca.pem">
              {help.caLink}
            </a>
          </p>
          <p class="small soft">{help.caCheck}</p>
          <ul class="dots small">
            {Object.values(help.systems).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
      {hasAuthority === false && <p>{help.caNone}</p>}
    </>
  );
}

function titleOf(topic: string): string {
  if (topic === 'ci') return 'CI';
  const text = topic.replaceAll('-', ' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export function ManualPage({ topic }: { readonly topic: string }) {
  const { words } = useConsole();
  useEffect(() => {
    document.title = `${words.help.manual}: ${titleOf(topic)} · forensics`;
  }, [words, topic]);
  const loaded = useLoaded(topic, {
    load: async () => (await pages[`../../manual/${topic}.md`]?.()) ?? '',
  });
  if (!topics.includes(topic)) return <PageTitle text={words.common.pageNotFound} />;
  return (
    <>
      <p>
        <a href="#/help">‹ {words.help.title}</a>
      </p>
      <Panel lang="en">
        <Awaited loaded={loaded}>{(text) => <Markdown text={text} />}</Awaited>
      </Panel>
    </>
  );
}
