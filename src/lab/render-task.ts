import type { Stance } from '../image/orientation.ts';
import type { Picture } from '../image/picture.ts';
import { renderHeatmaps, renderRawMaps } from '../report/heatmap.ts';
import { renderPdf } from '../report/pdf.ts';
import { writeTexts } from '../report/write-texts.ts';
import type { Rendering, RenderRequest } from './lab.ts';
import type { ModelShelf } from './model-shelf.ts';
import { checkSame, openSource } from './open-source.ts';
import type { ChildSettings } from './tasks.ts';

/**
 * Pixels. A larger picture and the network's working space together would pass 700 MB; loading the model again costs
 * 0.1 s, little beside drawing such a picture.
 */
const roomForBoth = 3_000_000;

export async function performRender(
  request: RenderRequest,
  settings: ChildSettings,
  shelf: ModelShelf,
): Promise<Rendering> {
  const { source, examination, languages, withRawMaps } = request;
  const { picture } = await openSource(source, settings.limits);
  checkSame(picture, examination);
  if (picture.luma.length > roomForBoth) await shelf.clear();
  const heatmapStance = stanceOf(picture, request.heatmapSize);
  const item = { ...request.item, heatmapStance };
  const heatmaps = await renderHeatmaps(picture, examination.maps, heatmapStance);
  const rawMaps = withRawMaps ? await renderRawMaps(picture.facts, examination.maps) : null;
  const reports: Record<string, { texts: ReturnType<typeof writeTexts>; pdf: Uint8Array }> = {};
  for (const language of languages) {
    const texts = writeTexts(examination, item, language);
    const pdf = await renderPdf({ picture, heatmaps, examination, item, language, texts });
    reports[language] = { texts, pdf };
  }
  return { heatmaps, rawMaps, reports };
}

/** A size that fits both ways is that of the upright picture, which every viewer shows. */
function stanceOf({ facts }: Picture, size: RenderRequest['heatmapSize']): Stance {
  if (size === undefined) return 'upright';
  const isUpright = size.width === facts.width && size.height === facts.height;
  const isStored = size.width === facts.storedWidth && size.height === facts.storedHeight;
  return isStored && !isUpright ? 'stored' : 'upright';
}
