/** Buttons that control how pictures are viewed. */

import { useId } from 'preact/hooks';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { useConsole } from '../context.ts';
import { type Look, mapNames, wholePicture } from './look.ts';
import { Button } from './pieces.tsx';

interface ViewerControlsProps {
  readonly look: Look;
  readonly setLook: (look: Look) => void;
  readonly hasMaps: boolean;
}

export function ViewerControls({ look, setLook, hasMaps }: ViewerControlsProps) {
  const { analysis, language } = useConsole();
  const opacityId = useId();
  const change = (next: Partial<Look>) => setLook({ ...look, ...next });
  const zoom = (factor: number) =>
    change({ zoom: Math.min(24, Math.max(0.5, look.zoom * factor)) });
  return (
    <div class="row controls">
      {hasMaps && (
        <select
          aria-label={analysis.map}
          value={look.map ?? ''}
          onChange={({ currentTarget: { value } }) => {
            const map = mapNames.find((name) => name === value) ?? null;
            change({ map });
          }}
        >
          <option value="">{analysis.noMap}</option>
          {mapNames.map((name) => (
            <option key={name} value={name}>
              {analysis.heatmapFile(wordsIn(language).labels.maps[name])}
            </option>
          ))}
        </select>
      )}
      {hasMaps && look.map !== null && (
        <>
          <label for={opacityId} class="small soft">
            {analysis.opacity}
          </label>
          <input
            id={opacityId}
            type="range"
            min={0}
            max={100}
            value={Math.round(look.opacity * 100)}
            onInput={({ currentTarget }) => change({ opacity: Number(currentTarget.value) / 100 })}
          />
        </>
      )}
      <Button
        kind="little"
        aria-pressed={look.loupe !== null}
        onClick={() => change({ loupe: look.loupe === null ? look.middle : null })}
      >
        {analysis.loupe}
      </Button>
      <Button kind="little" aria-label={analysis.zoomOut} onClick={() => zoom(0.8)}>
        −
      </Button>
      <Button kind="little" aria-label={analysis.zoomIn} onClick={() => zoom(1.25)}>
        +
      </Button>
      <Button kind="little" onClick={() => change(wholePicture)}>
        {analysis.fit}
      </Button>
    </div>
  );
}
