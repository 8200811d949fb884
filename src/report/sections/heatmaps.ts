/** Where methods reacted: four maps, each beside the picture itself, and those of single methods. */

import { mapNames } from '../../engine/result.ts';
import { type Block, paragraph, type SectionInput } from '../blocks.ts';
import { methodMapBlocks } from './method-maps.ts';

export function heatmapBlocks(input: SectionInput): readonly Block[] {
  const { texts, labels, heatmapDigests } = input;
  const { real, fake, compressed, anomaly } = texts.heatmap;
  const textOf = { real, fake, compression: compressed, anomaly };
  return [
    ...texts.heatmapIntro.split('\n\n').map(paragraph),
    {
      kind: 'heatmaps',
      maps: mapNames.map((map) => ({
        map,
        title: labels.maps[map],
        text: textOf[map],
        note: `${labels.heatmapChecksum}: ${heatmapDigests[map]}`,
      })),
    },
    ...methodMapBlocks(input),
  ];
}
