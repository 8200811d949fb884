import type { Examination } from '../engine/result.ts';
import { ForensicsError } from '../errors.ts';
import type { Picture } from '../image/picture.ts';
import { renderHeatmaps, renderRawMaps } from '../report/heatmap.ts';
import { renderPdf } from '../report/pdf.ts';
import { writeTexts } from '../report/write-texts.ts';
import type { Rendering, RenderRequest } from './lab.ts';
import type { ModelShelf } from './model-shelf.ts';
import { openSource } from './open-source.ts';
import type { ChildSettings } from './tasks.ts';

/**
 * Pixels. A larger picture and the network's working space together would pass 700 MB; loading the model again costs
 * 0.1 s, little beside drawing such a picture.
 */
const roomForBoth = 3_000_000;

export async function performRender(
  { source, examination, item, languages, withRawMaps }: RenderRequest,
  settings: ChildSettings,
  shelf: ModelShelf,
): Promise<Rendering> {
  const picture = await openSource(source, settings.limits);
  checkSame(picture, examination);
  if (picture.luma.length > roomForBoth) await shelf.clear();
  const heatmaps = await renderHeatmaps(picture, examination.maps);
  const rawMaps = withRawMaps ? await renderRawMaps(picture.facts, examination.maps) : null;
  const reports: Record<string, { texts: ReturnType<typeof writeTexts>; pdf: Uint8Array }> = {};
  for (const language of languages) {
    const texts = writeTexts(examination, item, language);
    const pdf = await renderPdf({ picture, heatmaps, examination, item, language, texts });
    reports[language] = { texts, pdf };
  }
  return { heatmaps, rawMaps, reports };
}

/** Heatmaps of one picture drawn over another would be a forged exhibit. */
function checkSame({ facts }: Picture, examination: Examination): void {
  if (facts.sha256 === examination.facts.sha256) return;
  throw new ForensicsError(
    'image_not_as_declared',
    'This file is not the one that was examined: its SHA-256 differs; examine it anew.',
  );
}
