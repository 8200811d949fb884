/** Buttons that control how pictures are viewed. */

import { useId } from 'preact/hooks';
import { useConsole } from '../context.ts';
import { type Look, mapNames, wholePicture } from './look.ts';
import { Button } from './pieces.tsx';

interface ViewerControlsProps {
  readonly look: Look;
  readonly setLook: (look: Look) => void;
  readonly hasMaps: boolean;
}

export function ViewerControls({ look, setLook, hasMaps }: ViewerControlsProps) {
  const { analysis } = useConsole();
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
            change(map === null ? { map, swipe: null } : { map });
          }}
        >
          <option value="">{analysis.noMap}</option>
          {mapNames.map((name) => (
            <option key={name} value={name}>
              {analysis.heatmapFile(analysis.maps[name])}
            </option>
          ))}
        </select>
      )}
      {hasMaps && look.map !== null && <MapControls look={look} change={change} />}
      <Button
        kind="little"
        aria-pressed={look.hasGrid}
        onClick={() => change({ hasGrid: !look.hasGrid })}
      >
        {analysis.grid}
      </Button>
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

/** Opacity of the map, and the position of the swipe. */
function MapControls({
  look: { opacity, swipe },
  change,
}: {
  readonly look: Look;
  readonly change: (next: Partial<Look>) => void;
}) {
  const { analysis } = useConsole();
  const id = useId();
  return (
    <>
      <label for={id} class="small soft">
        {analysis.opacity}
      </label>
      <Slider id={id} steps={100} value={opacity} onValue={(value) => change({ opacity: value })} />
      <Button
        kind="little"
        aria-pressed={swipe !== null}
        onClick={() => change({ swipe: swipe === null ? 0.5 : null })}
      >
        {analysis.swipe}
      </Button>
      {swipe !== null && (
        <Slider
          aria-label={analysis.compareSwipe}
          steps={1000}
          value={swipe}
          onValue={(value) => change({ swipe: value })}
        />
      )}
    </>
  );
}

/** @param value - 0..1. */
function Slider({
  steps,
  value,
  onValue,
  ...attributes
}: {
  readonly steps: number;
  readonly value: number;
  readonly onValue: (value: number) => void;
  readonly id?: string;
  readonly 'aria-label'?: string;
}) {
  return (
    <input
      type="range"
      min={0}
      max={steps}
      value={Math.round(value * steps)}
      onInput={({ currentTarget }) => onValue(Number(currentTarget.value) / steps)}
      {...attributes}
    />
  );
}
