/** Two pictures compared: side by side in step, or one laid on the other where both show the same. */

import { useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { useConsole } from '../context.ts';
import { firstLook, layOn } from './look.ts';
import { Button } from './pieces.tsx';
import { type Layer, useShownSize, Viewer } from './viewer.tsx';
import { ViewerControls } from './viewer-controls.tsx';

const modes = ['side', 'difference', 'flicker'] as const;
type Mode = (typeof modes)[number];

export interface Compared {
  readonly one: Analysis;
  readonly other: Analysis;
  /** Where `one` lies on `other`; null where both are not known to show the same. */
  readonly alignment: SeenBefore['alignment'] | null;
}

export function Comparison({ one, other, alignment }: Compared) {
  const { comparison: text } = useConsole().words;
  const [mode, setMode] = useState<Mode>(alignment === null ? 'side' : 'difference');
  const [look, setLook] = useState(firstLook);
  const { size, lower, upper } = useLayers({ one, other, alignment });
  const common = { size, look, setLook };
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
    </section>
  );
}

/** In the pixels of the other picture, so that both can be laid on each other. */
function useLayers({ one, other, alignment }: Compared) {
  const [url, otherUrl] = [one, other].map(({ input }) => input.storageUrls.getUrl);
  const own = useShownSize(url!, one.input);
  const size = useShownSize(otherUrl!, other.input);
  const lower: Layer = { url: otherUrl! };
  const upper: Layer = { url: url!, size: own, transform: layOn(size, own, alignment) };
  return { size, lower, upper };
}
