/** One picture beside another of its case, of those that show the same, or of the list. */

import { useConsole } from '../context.ts';
import type { Analysis } from '../../contract/analysis.ts';
import { Comparison } from '../parts/comparison.tsx';
import { SelectField } from '../parts/form.tsx';
import { Awaited, PageTitle } from '../parts/pieces.tsx';
import { writeVerdict } from '../parts/verdict.ts';
import { useAnalysis } from './analysis.tsx';
import { useSameCase, useSeenBefore } from './other-pictures.tsx';

export function ComparePage({ id, otherId }: { readonly id: string; readonly otherId: string }) {
  const { words } = useConsole();
  const one = useAnalysis(id);
  const other = useAnalysis(otherId);
  return (
    <>
      <p>
        <a href={`#/analysis/${id}`}>‹ {words.comparison.end}</a>
      </p>
      <PageTitle text={words.comparison.title} />
      <Awaited loaded={one}>
        {(first) => (
          <Awaited loaded={other}>{(second) => <Pair one={first} other={second} />}</Awaited>
        )}
      </Awaited>
    </>
  );
}

function Pair({ one, other }: { readonly one: Analysis; readonly other: Analysis }) {
  const { comparison: text } = useConsole().words;
  const seen = useSeenBefore(one);
  const sameCase = useSameCase(one);
  const alignment = seen.find(({ id }) => id === other.id)?.alignment ?? null;
  const named = [other, ...seen, ...sameCase].map(({ id, name }) => [id, name.slice(0, 80)]);
  return (
    <>
      <Comparison key={`${other.id} ${alignment === null}`} {...{ one, other, alignment }} />
      <div class="columns">
        <Caption analysis={one} />
        <Caption analysis={other} />
      </div>
      {named.length > 1 && (
        <SelectField<string>
          label={text.with}
          options={Object.fromEntries(named)}
          value={other.id}
          onValue={(chosen) => {
            location.hash = `#/analysis/${one.id}?with=${chosen}`;
          }}
        />
      )}
    </>
  );
}

function Caption({ analysis }: { readonly analysis: Analysis }) {
  const { language } = useConsole();
  const verdict = writeVerdict(analysis, language);
  return (
    <div>
      <h2 class="clip">
        <a href={`#/analysis/${analysis.id}`} title={analysis.name}>
          <bdi>{analysis.name}</bdi>
        </a>
      </h2>
      <p>
        {verdict?.headline} <span class="soft">{verdict?.because}</span>
      </p>
    </div>
  );
}
