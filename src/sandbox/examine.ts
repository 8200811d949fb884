import { examine } from '../engine/examine.ts';
import type { Examination } from '../engine/result.ts';
import { readSamples, type Samples } from '../image/codec.ts';
import type { Stance } from '../image/orientation.ts';
import type { Picture } from '../image/picture.ts';
import { readProvenance } from '../provenance/read-provenance.ts';
import { wordExamination } from '../report/findings.ts';
import { renderHeatmaps, renderRawMaps } from '../report/heatmap/heatmap.ts';
import { renderPdf } from '../report/pdf/pdf.ts';
import { writeTexts } from '../report/texts.ts';
import type { ModelCache } from './model-cache.ts';
import { checkDeclared, checkSame, openSource } from './open-picture.ts';
import type { ExamineRequest, PixelDifference, Rendering, RenderRequest } from './sandbox.ts';
import type { ChildSettings } from './tasks.ts';

export async function performExamine(
  { source, options, declared, now = new Date() }: ExamineRequest,
  settings: ChildSettings,
  cache: ModelCache,
): Promise<Examination> {
  const { model, locator = null, ...examineOptions } = options;
  // A fresh child loads the models while sharp's thread decodes.
  const [{ picture, bytes }, models] = await Promise.all([
    openSource(source, settings.limits),
    cache.load({ model, locator }, settings.modelsDir),
  ]);
  checkDeclared(picture, declared);
  const provenance = await readProvenance(bytes, picture, { ...settings, now });
  return wordExamination(await examine(picture, models, examineOptions, provenance));
}

export async function performCompare(
  { one, other }: { readonly one: Uint8Array; readonly other: Uint8Array },
  { limits }: ChildSettings,
): Promise<PixelDifference | null> {
  const [a, b] = [await readSamples(one, limits), await readSamples(other, limits)];
  return a !== null && b !== null && isSameKind(a, b) ? difference(a, b) : null;
}

function isSameKind(a: Samples, b: Samples): boolean {
  return (
    a.width === b.width && a.height === b.height && a.channels === b.channels && a.bits === b.bits
  );
}

function difference(a: Samples, b: Samples): PixelDifference {
  const count = a.values.length;
  let differing = 0;
  let largest = 0;
  for (let i = 0; i < count; i++) {
    const distance = Math.abs(a.values[i]! - b.values[i]!);
    if (distance > 0) differing++;
    if (distance > largest) largest = distance;
  }
  return { differing, largest: largest / (2 ** a.bits - 1) };
}

/**
 * Pixels. A larger picture and the network's working space together would pass 700 MB; loading the model again costs
 * 0.1 s, little beside drawing such a picture.
 */
const roomForBoth = 3_000_000;

export async function performRender(
  request: RenderRequest,
  settings: ChildSettings,
  cache: ModelCache,
): Promise<Rendering> {
  const { source, examination, languages, withRawMaps } = request;
  const { picture } = await openSource(source, settings.limits);
  checkSame(picture, examination);
  if (picture.luma.length > roomForBoth) await cache.clear();
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
