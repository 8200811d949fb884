/** Where the model reacted, one map after the other, each beside the picture itself. */

import { mapNames } from '../../engine/result.ts';
import { type Block, paragraph, type SectionInput } from '../blocks.ts';

export function heatmapBlocks({ texts, labels, heatmapDigests }: SectionInput): readonly Block[] {
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
  ];
}
