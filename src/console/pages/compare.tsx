/** Compares two pictures: the other is from the same case, shows the same thing, or was chosen in the list. */

import { useState } from 'preact/hooks';
import { useConsole } from '../context.ts';
import type { Analysis } from '../../contract/analysis.ts';
import { SelectField } from '../parts/form.tsx';
import { Awaited, Button, PageTitle } from '../parts/pieces.tsx';
import { writeVerdict } from '../parts/verdict.ts';
import { useAnalysis } from './analysis.tsx';
import { useSameCase, useSeenBefore } from './other-pictures.tsx';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { findDifferences } from '../parts/differences.ts';
import { useLoaded } from '../parts/loading.ts';
import { firstLook, layOn } from '../parts/look.ts';
import { type Layer, useShownSize, Viewer } from '../parts/viewer.tsx';
import { ViewerControls } from '../parts/viewer-controls.tsx';

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
      <Comparison key={other.id} {...{ one, other, alignment }} />
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

const modes = ['side', 'difference', 'flicker'] as const;
type Mode = (typeof modes)[number];

interface Compared {
  readonly one: Analysis;
  readonly other: Analysis;
  /** Where `one` lies on `other`; null unless both are known to show the same thing. */
  readonly alignment: SeenBefore['alignment'] | null;
}

/** Side by side in step, or overlaid if both show the same thing. */
function Comparison({ one, other, alignment }: Compared) {
  const { comparison: text } = useConsole().words;
  const [mode, setMode] = useState<Mode>('side');
  const [look, setLook] = useState(firstLook);
  const { size, lower, upper } = useLayers({ one, other, alignment });
  const { marks, found } = useDifferences(alignment !== null, { size, lower, upper });
  const common = { size, look, setLook, marks };
  return (
    <section class="panel" aria-label={text.title}>
      <div class="row apart">
        <div class="row" role="group" aria-label={text.mode}>
          {modes.map((each) => (
            <Button
              key={each}
              kind="little"
              aria-pressed={mode === each}
              onClick={() => setMode(each)}
            >
              {text.modes[each]}
            </Button>
          ))}
        </div>
        <ViewerControls look={look} setLook={setLook} hasMaps={false} />
      </div>
      {mode === 'side' ? (
        <div class="columns">
          <Viewer {...common} layers={[upper]} name={one.name} />
          <Viewer {...common} layers={[lower]} name={other.name} />
        </div>
      ) : (
        <Viewer {...common} layers={[lower, { ...upper, class: mode }]} name={text.title} />
      )}
      <p class="soft small">
        {text.hints[mode]} {alignment === null && mode !== 'side' && text.notAligned}
      </p>
      <p role="status">{found}</p>
    </section>
  );
}

/** Marks of the differing parts, and a sentence about them: the report has the same. */
function useDifferences(isAligned: boolean, { lower, upper, size }: Layers) {
  const { words, language } = useConsole();
  const [selected, setSelected] = useState<number | null>(null);
  const key = `differences ${lower.url} ${upper.url} ${upper.transform} ${isAligned}`;
  const { data, error } = useLoaded(key, {
    load: async () => (isAligned ? findDifferences(lower, upper, size) : null),
  });
  const marks = (data ?? []).map((box, at) => ({
    number: at + 1,
    boxes: [box],
    label: words.comparison.part(at + 1),
    isSelected: selected === at,
    onSelect: () => setSelected(selected === at ? null : at),
  }));
  const { alike, framed } = wordsIn(language).document.seen;
  const found = data && (marks.length === 0 ? alike : framed);
  return { marks, found: error === null ? found : words.comparison.notMarked };
}

type Layers = ReturnType<typeof useLayers>;

/** In pixels of the other picture, so that the two can be stacked. */
function useLayers({ one, other, alignment }: Compared) {
  const [url, otherUrl] = [one, other].map(({ input }) => input.storageUrls.getUrl);
  const own = useShownSize(url!, one.input);
  const size = useShownSize(otherUrl!, other.input);
  const lower: Layer = { url: otherUrl! };
  const upper: Layer = { url: url!, size: own, transform: layOn(size, own, alignment) };
  return { size, lower, upper };
}
