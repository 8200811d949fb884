/** The picture of an analysis, with its heatmaps and its numbered findings. */

import { useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import type { Evidence } from '../../contract/evidence.ts';
import { useConsole } from '../context.ts';
import { boxesOf, type Located, type Selected } from '../parts/located.ts';
import { firstLook, heatmapUrl } from '../parts/look.ts';
import { type Layer, useShownSize, Viewer, ViewerControls } from '../parts/viewer.tsx';

export interface PlacesProps {
  readonly evidence: Evidence | null;
  readonly located: readonly Located[];
  readonly selected: Selected | null;
  readonly setSelected: (selected: Selected | null) => void;
}

export function PicturePanel({
  analysis,
  evidence,
  located,
  selected,
  setSelected,
}: PlacesProps & { readonly analysis: Analysis }) {
  const { analysis: text, language } = useConsole();
  const { input, inferenceStatus, name } = analysis;
  const [look, setLook] = useState(firstLook);
  const url = input.storageUrls.getUrl;
  const size = useShownSize(url, input);
  const heatmaps = inferenceStatus.result?.heatmaps ?? null;
  const report = inferenceStatus.result?.report?.[language] ?? null;
  const { opacity, map } = look;
  const layers: readonly Layer[] = [
    { url },
    ...(map === null || heatmaps === null ? [] : [{ url: heatmapUrl(heatmaps, map), opacity }]),
  ];
  const marks = located.map((one) => ({
    number: one.number,
    boxes: evidence === null ? one.boxes : boxesOf(one, selected, evidence),
    label: text.place(one.number),
    isSelected: selected?.number === one.number,
    onSelect: () =>
      setSelected(selected?.number === one.number ? null : { number: one.number, method: null }),
  }));
  const texts = report && { ...report.heatmap, compression: report.heatmap.compressed };
  return (
    <section class="panel picture" aria-label={text.pictures}>
      <Viewer size={size} layers={layers} marks={marks} look={look} setLook={setLook} name={name} />
      <ViewerControls look={look} setLook={setLook} hasMaps={heatmaps !== null} />
      {texts !== null && map !== null && <p class="soft small">{texts[map]}</p>}
    </section>
  );
}
