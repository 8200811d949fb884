/** Where the methods reacted: the picture once, and a map of each kind beside it. */

import { placeOf } from '../../detectors/regions.ts';
import type { MapName } from '../../engine/result.ts';
import { describeMap, readMap } from '../report-texts.ts';
import {
  type Block,
  type HeatmapBlock,
  note,
  only,
  paragraph,
  type SectionInput,
} from './blocks.ts';
import { markedRegion } from './stated.ts';

export function heatmapBlocks(input: SectionInput): readonly Block[] {
  const { item, labels, examination, catalogue } = input;
  const { intro, asStored } = catalogue.measurements.heatmap;
  const region = markedRegion(examination);
  // The one that can show a change first, so that it stands beside the picture.
  const shown = (['fake', 'anomaly', 'real', 'compression'] as const).filter(
    (map) => map !== 'anomaly' || !readMap(examination.maps, map).isEven,
  );
  return [
    paragraph([intro.scale, intro.caution, ...(region === null ? [] : [labels.outline])].join(' ')),
    ...only(item.heatmapOrientation === 'stored', paragraph(asStored)),
    note(labels.heatmap),
    { kind: 'heatmaps', maps: shown.map((map) => toBlock(input, map)), region },
  ];
}

function toBlock(input: SectionInput, map: MapName): HeatmapBlock {
  return {
    map,
    title: input.labels.maps[map],
    headline: writeGlance(input, map),
    text: describeMap(input, map),
  };
}

/** Only two of the maps can call for a look: traces of a camera and of compression are everywhere, and harmless. */
function writeGlance({ examination, labels, catalogue }: SectionInput, map: MapName): string {
  if (map === 'real' || map === 'compression') return '';
  const { glance } = labels;
  const { findings, measurements } = catalogue;
  const region = markedRegion(examination);
  if (map === 'fake' && region !== null) {
    const place = findings.places[placeOf(region, examination.facts)];
    return glance.marked(place, findings.writeShare(region.share));
  }
  if (examination.decision.resultClass === 'abstain') return glance.meaningless;
  const { isEven, mean, highest, place } = readMap(examination.maps, map);
  if (highest < lookFrom) return glance.even;
  if (isEven) return mean < lookFrom ? glance.even : glance.everywhere;
  const where = measurements.heatmap.places[place];
  return region === null ? glance.highest(where) : glance.look(where);
}

/** Middle of the scale: below it a place is nearer to "no trace". */
const lookFrom = 0.5;
