/**
 * The report as a PDF: lays sections out on pages, and gives each page its header and footer. The same examination,
 * item and pictures give the same bytes; the only time in it is that of the examination.
 */

import type { Language } from '../../contract/vocabulary.ts';
import type { Examination, MapName } from '../../engine/result.ts';
import type { Picture } from '../../image/picture.ts';
import { legendColours } from '../heatmap/heatmap.ts';
import {
  type MethodPictures,
  printMethods,
  type PrintPictures,
  printPictures,
} from '../heatmap/print-pictures.ts';
import { createNumberWriter } from '../../present/numbers.ts';
import { printable } from '../../present/printable.ts';
import type { CaseData, ReportItem, ReportTexts } from '../../present/report-item.ts';
import { reportNumber } from '../../present/sections/head.ts';
import { writeSections } from '../../present/sections/sections.ts';
import { type Words, wordsIn } from '../../present/wording/catalogue.ts';
import { drawSection } from './draw-blocks.ts';
import type { PageImages, Surroundings } from './draw-pictures.ts';
import { type Document, flow, openPage, type Page } from './page.ts';
import { ink, sheet, styles } from './style.ts';

interface PdfInput {
  readonly picture: Picture;
  /** The PNG files delivered with the report, which shows them smaller and gives their checksums. */
  readonly heatmaps: Readonly<Record<MapName, Uint8Array>>;
  readonly examination: Examination;
  readonly item: ReportItem;
  readonly language: Language;
  readonly texts: ReportTexts;
}

/** Pictures are scaled down once for all languages that are rendered from the same `picture`, `heatmaps` and maps. */
export async function renderPdf(input: PdfInput): Promise<Uint8Array> {
  const { picture, heatmaps, examination, item, language } = input;
  const pictures = await printPictures(picture, heatmaps, item.heatmapOrientation);
  const methods = await printMethods(picture, examination.maps);
  const { labels, document } = wordsIn(language);
  const page = openPage({
    title: `${labels.title}: ${printable(item.name, 120)}`,
    subject: `SHA-256 ${examination.facts.sha256}`,
    language,
    createdAt: item.examinedAt,
  });
  const sections = writeSections({ ...input, heatmapDigests: pictures.digests });
  const around: Surroundings = {
    page,
    labels,
    parts: document.parts,
    numbers: createNumberWriter(language),
    legend: legendColours(),
    images: openImages(page.doc, pictures, methods),
    size: { width: picture.facts.width, height: picture.facts.height },
  };
  drawTitle(page, labels, item);
  sections.forEach((section, at) => {
    // The answer has a page to itself, and the signed part ends at the end of a page.
    const before = sections[at - 1]?.part;
    const isNewPage = before === null || (section.part === 'annex' && before !== 'annex');
    if (isNewPage && page.y > sheet.top) page.reserve(sheet.bottom);
    drawSection(around, section);
  });
  const number = `${labels.rows.report} ${reportNumber(examination, item)}`;
  drawEdges(page.doc, labels, `${number}, SHA-256 ${examination.facts.sha256.slice(0, 16)}…`);
  return collect(page.doc);
}

function openImages(
  doc: Document,
  { original, heatmaps }: PrintPictures,
  methods: MethodPictures,
): PageImages {
  const openEach = (files: Readonly<Record<string, Uint8Array>>) =>
    Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, doc.openImage(bytes)]));
  return {
    original: doc.openImage(original),
    heatmaps: openEach(heatmaps),
    methods: openEach(methods),
  };
}

function drawTitle(page: Page, labels: Words['labels'], item: ReportItem): void {
  page.reserve(70);
  drawLaboratory(page, item.caseData);
  flow(page, 'H1', labels.title, styles.title);
  flow(page, 'P', printable(item.name, 100), styles.body);
  page.y += 6;
}

const logoBox = { width: 150, height: 34 } as const;

/** The laboratory's letterhead above the title: its logo, with name and address beside it. */
export function drawLaboratory(page: Page, { laboratory }: CaseData = {}): void {
  if (laboratory === undefined) return;
  const { name, address, logo } = laboratory;
  const top = page.y;
  let x: number = sheet.left;
  let bottom = top;
  if (logo !== null) {
    const image = page.doc.openImage(Buffer.from(logo, 'base64'));
    const scale = Math.min(logoBox.width / image.width, logoBox.height / image.height, 1);
    const size = { width: image.width * scale, height: image.height * scale };
    page.mark('Figure', () => page.doc.image(image, sheet.left, top, size), { alt: name });
    x += size.width + 10;
    bottom += size.height;
  }
  const text = [name, ...address].map((line) => printable(line, 120)).join(' · ');
  const lines = page.lines(text, styles.note, sheet.right - x);
  page.mark('P', () => page.put(lines, styles.note, x, top));
  page.y = Math.max(bottom, top + lines.length * styles.note.leading) + 6;
}

/**
 * Header and footer of every page, drawn last, because only then is the number of pages known. @param foot - what the
 * report is about.
 */
export function drawEdges(doc: Document, labels: Words['labels'], foot: string): void {
  const { start, count } = doc.bufferedPageRange();
  const { font, size } = styles.note;
  for (let i = start; i < start + count; i++) {
    doc.switchToPage(i);
    doc.markContent('Artifact', { type: 'Pagination' });
    doc.font(font).fontSize(size).fillColor(ink.muted);
    const page = labels.page(i - start + 1, count);
    doc.text(labels.product, sheet.left, sheet.headerTop, { lineBreak: false });
    putRight(doc, labels.title, sheet.headerTop);
    doc.text(foot, sheet.left, sheet.footerTop, { lineBreak: false });
    putRight(doc, page, sheet.footerTop);
    for (const y of [sheet.headerTop + 14, sheet.footerTop - 6]) {
      doc.moveTo(sheet.left, y).lineTo(sheet.right, y).lineWidth(0.4).stroke(ink.rule);
    }
    doc.endMarkedContent();
  }
}

function putRight(doc: Document, text: string, y: number): void {
  doc.text(text, sheet.right - doc.widthOfString(text), y, { lineBreak: false });
}

export async function collect(doc: Document): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  doc.end();
  for await (const chunk of doc) chunks.push(chunk);
  return Buffer.concat(chunks);
}
