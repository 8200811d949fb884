/** Renders what an examination found: heatmaps, raw maps and the reports. Also compares rendered PNG files. */

import type { SeenBefore } from '../contract/seen-before.ts';
import type { Language } from '../contract/vocabulary.ts';
import { withShownMethods } from '../engine/shown-methods.ts';
import { imageNotAsDeclared } from '../contract/errors.ts';
import { readSamples, type Samples, scalePixels } from '../image/codec.ts';
import type { PixelOrientation } from '../image/orientation.ts';
import type { Picture, PictureSource } from '../image/picture.ts';
import { scaledSize } from '../image/pixels.ts';
import { type AlignedPictures, layBeside } from '../render/heatmap/frames.ts';
import {
  printPicture,
  printPictures,
  renderHeatmaps,
  renderRawMaps,
} from '../render/heatmap/heatmap.ts';
import { renderHtml } from '../render/html/html.ts';
import { renderCasePdf } from '../render/pdf/case-pdf.ts';
import { renderPdf } from '../render/pdf/pdf.ts';
import type { Rendering, RenderRequest } from '../render/rendering.ts';
import type { CaseReport, PicturePage } from '../present/cases.ts';
import { markedPlaces } from '../present/result.ts';
import { writeTexts } from '../present/report-texts.ts';
import { writeFirstPage } from '../present/sections/sections.ts';
import { openPicture } from './open-picture.ts';
import type { TaskContext } from './requests.ts';

/**
 * Above this many pixels, the models are unloaded first, because the picture and the network's working memory would
 * together exceed 700 MB. Loading the models again takes 0.1 s, which is little compared with rendering the picture.
 */
const maxPixelsWithModels = 3_000_000;

/** More than a page can show, so that a small part of a large picture is still sharp. */
const maxPixelsBeside = 3_000_000;

export async function performRender(
  request: RenderRequest,
  context: TaskContext,
): Promise<Rendering> {
  const { picture, examination } = await openExamined(request, context);
  if (picture.luma.length > maxPixelsWithModels) await context.models.clear();
  const heatmapOrientation = chooseOrientation(picture, request.heatmapSize);
  const item = { ...request.item, heatmapOrientation };
  const outlines = markedPlaces(examination).map(({ region }) => region);
  const look = { heatmapOrientation, outlines };
  const heatmaps = await renderHeatmaps(picture, examination.maps, look);
  const rawMaps = await renderRawMaps(examination.maps);
  const prints = await printPictures(picture, examination.maps, heatmaps, heatmapOrientation);
  const reports = await inEach(request.languages, async (language) => {
    const drawn = { prints, examination, item, language };
    return {
      texts: writeTexts(examination, item, language),
      pdf: await renderPdf(drawn),
      ...(request.withHtml === true && { html: renderHtml(drawn) }),
    };
  });
  return { examination, heatmaps, rawMaps, reports };
}

/** The picture that was examined, and its examination with the methods that only reports show. */
async function openExamined(
  request: Pick<RenderRequest, 'source' | 'examination'>,
  { limits }: TaskContext,
) {
  const { picture } = await openPicture(request.source, limits);
  // Heatmaps over another picture would be false evidence.
  if (picture.facts.sha256 === request.examination.facts.sha256)
    return { picture, examination: withShownMethods(picture, request.examination) };
  throw imageNotAsDeclared(
    'This file is not the one that was examined: its SHA-256 differs. Examine it again.',
  );
}

/** One after another, so that only one report at a time takes up memory. */
async function inEach<T>(
  languages: readonly Language[],
  write: (language: Language) => T | Promise<T>,
) {
  const written: Partial<Record<Language, T>> = {};
  for (const language of languages) written[language] = await write(language);
  return written;
}

export async function performPreparePage(
  request: Pick<RenderRequest, 'source' | 'examination' | 'item' | 'languages'>,
  context: TaskContext,
): Promise<PicturePage> {
  const { picture, examination } = await openExamined(request, context);
  const { width, height } = picture.facts;
  const { item, languages } = request;
  const sections = await inEach(languages, (language) =>
    writeFirstPage({ examination, item, language }),
  );
  return { jpeg: await printPicture(picture), size: { width, height }, sections };
}

export async function performRenderCase(request: {
  readonly report: CaseReport;
  readonly languages: readonly Language[];
}) {
  return inEach(request.languages, (language) => renderCasePdf(request.report, language));
}

/** Decodes one of the two at a time in full. @param request.alignment - the position of `one` in `other`. */
export async function performLayBeside(
  request: {
    readonly one: PictureSource;
    readonly other: PictureSource;
    readonly alignment: NonNullable<SeenBefore['alignment']>;
  },
  { limits }: TaskContext,
): Promise<AlignedPictures> {
  const { one, other, alignment } = request;
  const open = async (source: PictureSource) => {
    const { rgb, facts } = (await openPicture(source, limits)).picture;
    const { width, height } = facts;
    const scale = Math.min(1, Math.sqrt(maxPixelsBeside / (width * height)));
    return scalePixels({ width, height, rgb }, scaledSize({ width, height }, scale));
  };
  return layBeside(await open(one), await open(other), alignment);
}

/** If the size fits both orientations, it is taken as that of the upright picture, which is what viewers show. */
function chooseOrientation(
  { facts }: Picture,
  size: RenderRequest['heatmapSize'],
): PixelOrientation {
  if (size === undefined) return 'upright';
  const isUpright = size.width === facts.width && size.height === facts.height;
  const isStored = size.width === facts.storedWidth && size.height === facts.storedHeight;
  return isStored && !isUpright ? 'stored' : 'upright';
}

export async function performCompare(
  { one, other }: Readonly<Record<'one' | 'other', Uint8Array>>,
  { limits }: TaskContext,
) {
  const [a, b] = [await readSamples(one, limits), await readSamples(other, limits)];
  const isSameKind = (['width', 'height', 'channels', 'bits'] as const).every(
    (name) => a?.[name] === b?.[name],
  );
  return a !== null && b !== null && isSameKind ? difference(a, b) : null;
}

/**
 * @returns `differing`: number of differing samples, three per pixel in colour and one in grey; `largest`: the largest
 *   difference as a share of full scale, 0..1.
 */
function difference(a: Samples, b: Samples) {
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
