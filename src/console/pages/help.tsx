/** What the words mean, the manual, the interface, and the certificate of this server. */

import { useEffect } from 'preact/hooks';
import { resultClasses } from '../../contract/vocabulary.ts';
import { glossary as glossaryDe } from '../../present/wording/de/glossary.ts';
import { glossary as glossaryEn } from '../../present/wording/en/glossary.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../parts/loading.ts';
import { Failure, Loading, PageTitle } from '../parts/pieces.tsx';
import { Markdown } from '../parts/markdown.tsx';

// Each page is a file of its own, fetched when it is opened.
const pages = import.meta.glob<string>('../../manual/*.md', { query: '?raw', import: 'default' });
const topics = Object.keys(pages).map((path) => /([\w-]+)\.md$/.exec(path)![1]!);

export function HelpPage() {
  const { words, language } = useConsole();
  const { help, list } = words;
  const { terms } = language === 'de' ? glossaryDe : glossaryEn;
  const authority = useLoaded('ca', { load: () => hasAuthority() });
  return (
    <>
      <PageTitle text={help.title} />
      <section class="panel">
        <h2>{help.results}</h2>
        <dl class="facts">
          {resultClasses.map((each) => (
            <>
              <dt key={each}>
                <span class={`badge ${each}`}>{list.results[each]}</span>
              </dt>
              <dd>{help.resultTexts[each]}</dd>
            </>
          ))}
        </dl>
      </section>
      <div class="columns">
        <section class="panel">
          <h2>{help.manual}</h2>
          {language !== 'en' && <p class="soft small">{help.manualHint}</p>}
          <ul class="dots">
            {topics.map((topic) => (
              <li key={topic}>
                <a href={`#/manual/${topic}`}>{titleOf(topic)}</a>
              </li>
            ))}
          </ul>
        </section>
        <section class="panel">
          <h2>{help.api}</h2>
          <p>{help.apiHint}</p>
          <p>
            <a href="/docs" target="_blank" rel="noreferrer">
              {help.apiLink} ({words.common.newWindow})
            </a>
          </p>
          <h2>{help.ca}</h2>
          {authority.data === true && (
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
          {authority.data === false && <p>{help.caNone}</p>}
        </section>
      </div>
      <section class="panel">
        <h2>{help.words}</h2>
        <dl class="facts">
          {Object.values(terms).map(({ term, meaning }) => (
            <>
              <dt key={term}>{term}</dt>
              <dd>{meaning}</dd>
            </>
          ))}
        </dl>
      </section>
    </>
  );
}

async function hasAuthority(): Promise<boolean> {
  return (await fetch('/ca.pem', { method: 'HEAD' })).ok;
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
  const { data, error } = useLoaded(topic, {
    load: async () => (await pages[`../../manual/${topic}.md`]?.()) ?? null,
  });
  if (!topics.includes(topic)) return <PageTitle text={words.common.pageNotFound} />;
  return (
    <>
      <p>
        <a href="#/help">‹ {words.help.title}</a>
      </p>
      <section class="panel" lang="en">
        <Failure error={error} />
        {data === null ? <Loading /> : <Markdown text={data} />}
      </section>
    </>
  );
}
