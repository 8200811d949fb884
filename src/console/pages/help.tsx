/** Help: the results, the glossary, the manual, the interface, and the certificate of this server. */

import { useEffect } from 'preact/hooks';
import { resultClasses } from '../../contract/vocabulary.ts';
import { manualFile, topics } from '../../present/manual.ts';
import { glossary as glossaryDe } from '../../present/wording/de/glossary.ts';
import { glossary as glossaryEn } from '../../present/wording/en/glossary.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../parts/loading.ts';
import { Awaited, Facts, PageTitle, Panel } from '../parts/pieces.tsx';
import { Markdown } from '../parts/markdown.tsx';

// Each page is a file of its own, fetched when it is opened.
const pages = import.meta.glob<string>('../../manual/**/*.md', {
  query: '?raw',
  import: 'default',
});

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
          <ul class="dots">
            {Object.entries(topics).map(([topic, { [language]: told }]) => (
              <li key={topic}>
                <a href={`#/manual/${topic}`}>{told[0]}</a>
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

export function ManualPage({ topic }: { readonly topic: string }) {
  const { words, language } = useConsole();
  const title = Object.hasOwn(topics, topic) ? topics[topic]![language][0] : null;
  const file = manualFile(topic, language);
  useEffect(() => {
    document.title = `${words.help.manual}: ${title ?? topic} · forensics`;
  }, [words, title, topic]);
  const loaded = useLoaded(file, {
    load: async () => (await pages[`../../manual/${file}`]?.()) ?? '',
  });
  if (title === null) return <PageTitle text={words.common.pageNotFound} />;
  return (
    <>
      <p>
        <a href="#/help">‹ {words.help.title}</a>
      </p>
      <Panel lang={language}>
        <Awaited loaded={loaded}>{(text) => <Markdown text={text} />}</Awaited>
      </Panel>
    </>
  );
}
