/** Renders what an examination found: heatmaps, raw maps and the reports. Also compares rendered PNG files. */

import type { Language } from '../contract/vocabulary.ts';
import type { Examination } from '../engine/result.ts';
import { withShownMethods } from '../engine/shown-methods.ts';
import { ForensicsError } from '../errors.ts';
import { readSamples, type Samples, scalePixels } from '../image/codec.ts';
import type { PixelOrientation } from '../image/orientation.ts';
import type { Picture } from '../image/picture.ts';
import { scaledSize } from '../image/pixels.ts';
import { type AlignedPictures, layBeside } from '../render/heatmap/frames.ts';
import { renderHeatmaps, renderRawMaps } from '../render/heatmap/heatmap.ts';
import { renderHtml } from '../render/html/html.ts';
import { printPicture, printPictures } from '../render/heatmap/print-pictures.ts';
import { renderCasePdf, renderPdf } from '../render/pdf/pdf.ts';
import type { PicturePage } from '../present/cases.ts';
import { markedPlaces } from '../present/result.ts';
import { writeTexts } from '../present/report-texts.ts';
import type { Section } from '../present/sections/blocks.ts';
import { writeFirstPage } from '../present/sections/sections.ts';
import { openPicture } from './open-picture.ts';
import type {
  BesideRequest,
  CaseRequest,
  CompareRequest,
  PageRequest,
  PictureSource,
  PixelDifference,
  Rendering,
  RenderRequest,
  TaskContext,
} from './requests.ts';

/**
 * Above this many pixels, the models are unloaded first, because the picture and the network's working memory would
 * together exceed 700 MB. Loading the models again takes 0.1 s, which is little compared with rendering the picture.
 */
const maxPixelsWithModels = 3_000_000;

/** More than a page can show, so that a small part of a large picture is still sharp. */
const maxPixelsBeside = 3_000_000;

export async function performRender(request: RenderRequest, { limits, models }: TaskContext) {
  const { source, languages } = request;
  const { picture } = await openPicture(source, limits);
  checkSame(picture, request.examination);
  const examination = withShownMethods(picture, request.examination);
  if (picture.luma.length > maxPixelsWithModels) await models.clear();
  const heatmapOrientation = chooseOrientation(picture, request.heatmapSize);
  const item = { ...request.item, heatmapOrientation };
  const outlines = markedPlaces(examination).map(({ region }) => region);
  const look = { heatmapOrientation, outlines };
  const heatmaps = await renderHeatmaps(picture, examination.maps, look);
  const rawMaps = await renderRawMaps(examination.maps);
  const prints = await printPictures(picture, examination.maps, heatmaps, heatmapOrientation);
  const reports: { -readonly [K in keyof Rendering['reports']]: Rendering['reports'][K] } = {};
  for (const language of languages) {
    const drawn = { prints, examination, item, language };
    reports[language] = {
      texts: writeTexts(examination, item, language),
      pdf: await renderPdf(drawn),
      ...(request.withHtml === true && { html: renderHtml(drawn) }),
    };
  }
  return { examination, heatmaps, rawMaps, reports };
}

export async function performPreparePage(
  { source, item, languages, ...request }: PageRequest,
  { limits }: TaskContext,
): Promise<PicturePage> {
  const { picture } = await openPicture(source, limits);
  checkSame(picture, request.examination);
  const examination = withShownMethods(picture, request.examination);
  const { width, height } = picture.facts;
  const sections: Partial<Record<Language, Section>> = {};
  for (const language of languages) {
    sections[language] = writeFirstPage({ examination, item, language });
  }
  return { jpeg: await printPicture(picture), size: { width, height }, sections };
}

export async function performRenderCase({ report, languages }: CaseRequest) {
  const rendered: Partial<Record<Language, Uint8Array>> = {};
  for (const language of languages) rendered[language] = await renderCasePdf(report, language);
  return rendered;
}

/** Only one picture at a time is decoded in full. */
export async function performLayBeside(
  { one, other, alignment }: BesideRequest,
  { limits }: TaskContext,
): Promise<AlignedPictures> {
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
/** Heatmaps over another picture would be false evidence. @throws {ForensicsError} `image_not_as_declared`. */
function checkSame({ facts }: Picture, examination: Pick<Examination, 'facts'>): void {
  if (facts.sha256 === examination.facts.sha256) return;
  throw new ForensicsError(
    'image_not_as_declared',
    'This file is not the one that was examined: its SHA-256 differs. Examine it again.',
  );
}

export async function performCompare({ one, other }: CompareRequest, { limits }: TaskContext) {
  const [a, b] = [await readSamples(one, limits), await readSamples(other, limits)];
  const isSameKind = (['width', 'height', 'channels', 'bits'] as const).every(
    (name) => a?.[name] === b?.[name],
  );
  return a !== null && b !== null && isSameKind ? difference(a, b) : null;
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
