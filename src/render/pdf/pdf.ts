/**
 * The report as a PDF: lays out sections on pages, and gives each page its header and footer. The same examination,
 * item and pictures give the same bytes; the only time in it is that of the examination.
 */

import type { Language } from '../../contract/vocabulary.ts';
import { legendColours } from '../heatmap/heatmap.ts';
import type { ReportInput } from '../heatmap/print-pictures.ts';
import { printable } from '../../present/text.ts';
import type { CaseData } from '../../present/report-item.ts';
import { reportNumber, writeSubtitle } from '../../present/sections/head.ts';
import { writeSections } from '../../present/sections/sections.ts';
import { createNumberWriter, type Words, wordsIn } from '../../present/wording/catalogue.ts';
import { drawSection } from './draw-blocks.ts';
import type { Surroundings } from './draw-pictures.ts';
import { type Document, flow, openPage, type Page, putImage } from './page.ts';
import { ink, sheet, type Style, styles } from './style.ts';
import { type CasePicture, type CaseReport, writeCaseSummary } from '../../present/cases.ts';
import { writeFailure } from '../../present/failures.ts';
import { present } from '../../present/presentation.ts';
import { writeSeenBefore } from '../../present/origin.ts';

export async function renderPdf(input: ReportInput): Promise<Uint8Array> {
  const { prints, examination, item, language } = input;
  const { width, height } = examination.facts;
  const { labels, document } = wordsIn(language);
  const page = openPage({
    title: `${labels.title}: ${printable(item.name, 120)}`,
    subject: `SHA-256 ${examination.facts.sha256}`,
    language,
    createdAt: item.examinedAt,
  });
  const openEach = (files: Readonly<Record<string, Uint8Array>>) =>
    Object.fromEntries(
      Object.entries(files).map(([name, bytes]) => [name, page.doc.openImage(bytes)]),
    );
  const sections = writeSections({ ...input, heatmapDigests: prints.digests });
  const around: Surroundings = {
    page,
    labels,
    parts: document.parts,
    numbers: createNumberWriter(language),
    legend: legendColours(),
    images: {
      original: page.doc.openImage(prints.original),
      heatmaps: openEach(prints.heatmaps),
      methods: openEach(prints.methods),
    },
    size: { width, height },
  };
  page.reserve(70);
  drawLaboratory(page, item.caseData);
  flow(page, 'H1', labels.title, styles.title);
  flow(page, 'P', writeSubtitle(examination, item, language), styles.body);
  page.y += 6;
  sections.forEach((section, at) => {
    // The answer has its own page if it fits on one, and the signed part ends at the end of a page.
    const before = sections[at - 1]?.part;
    const isAnswered = before === null && page.doc.bufferedPageRange().count === 1;
    const isNewPage = isAnswered || (section.part === 'annex' && before !== 'annex');
    if (isNewPage && page.y > sheet.top) page.reserve(sheet.bottom);
    drawSection(around, section);
  });
  const number = `${labels.rows.report} ${reportNumber(examination, item)}`;
  drawEdges(page.doc, labels, `${number}, SHA-256 ${examination.facts.sha256.slice(0, 16)}…`);
  return collect(page.doc);
}

const logoBox = { width: 150, height: 34 } as const;

/** The laboratory's letterhead above the title: the logo, with name and address beside it. */
function drawLaboratory(page: Page, { laboratory }: CaseData = {}): void {
  if (laboratory === undefined) return;
  const { name, address, logo } = laboratory;
  const top = page.y;
  let x: number = sheet.left;
  let bottom = top;
  if (logo !== null) {
    const size = putImage(page, Buffer.from(logo, 'base64'), logoBox, name);
    x += size.width + 10;
    bottom += size.height;
  }
  const text = [name, ...address].map((line) => printable(line, 120)).join(' · ');
  const lines = page.lines(text, styles.note, sheet.right - x);
  page.mark('P', () => page.put(lines, styles.note, x, top));
  page.y = Math.max(bottom, top + lines.length * styles.note.leading) + 6;
}

/**
 * Draws header and footer of every page, once all pages exist and can be counted.
 * @param foot - what the report is about.
 */
function drawEdges(doc: Document, labels: Words['labels'], foot: string): void {
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

async function collect(doc: Document): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  doc.end();
  for await (const chunk of doc) chunks.push(chunk);
  return Buffer.concat(chunks);
}

// The report on a case as a PDF: an overview of all pictures, then the first page of each picture's report.

/** The same case gives the same bytes. */
export async function renderCasePdf(report: CaseReport, language: Language): Promise<Uint8Array> {
  const { name, pictures, ofOneCamera, madeAt, listSha256, caseData } = report;
  const words = wordsIn(language);
  const { cases, labels } = words;
  const title = cases.title(printable(name, 100));
  const page = openPage({
    title: `${labels.title}: ${title}`,
    subject: listSha256 === null ? title : `SHA-256 ${listSha256}`,
    language,
    createdAt: madeAt,
  });
  page.reserve(70);
  page.bookmark(title);
  drawLaboratory(page, caseData);
  flow(page, 'H1', labels.title, styles.title);
  flow(page, 'P', title, styles.body);
  page.y += 6;
  flow(page, 'H2', writeCaseSummary(pictures, language, ofOneCamera), styles.headline);
  page.y += 4;
  flow(page, 'P', `${cases.order} ${cases.pages}`, styles.note);
  page.y += 8;
  for (const picture of pictures) drawRow(page, picture, language);
  const { count } = createNumberWriter(language);
  pictures.forEach((picture, at) => {
    drawPage(page, picture, language, cases.picture(count(at + 1), count(pictures.length)));
  });
  drawEdges(page.doc, labels, title);
  return collect(page.doc);
}

const thumbnailSide = 54;
const rowGap = 8;
const textLeft = sheet.left + thumbnailSide + 12;

/** A small picture with its finding beside it, kept in one piece. */
function drawRow(page: Page, picture: CasePicture, language: Language): void {
  const { name, thumbnail } = picture;
  const texts = writeRow(picture, language).map(([text, style]) => {
    return { style, lines: page.lines(text, style, sheet.right - textLeft) };
  });
  const height = texts.reduce((sum, { lines, style }) => sum + lines.length * style.leading, 0);
  page.reserve(Math.max(thumbnailSide, height) + rowGap);
  const top = page.y;
  if (thumbnail !== null) {
    const box = { width: thumbnailSide, height: thumbnailSide };
    putImage(page, thumbnail, box, printable(name, 100));
  }
  let y = top;
  for (const { lines, style } of texts) {
    page.mark('P', () => page.put(lines, style, textLeft, y));
    y += lines.length * style.leading;
  }
  page.y = top + Math.max(thumbnailSide, height) + rowGap;
}

function writeRow(picture: CasePicture, language: Language): (readonly [string, Style])[] {
  const { name, status, answer, failure, seenBefore, page } = picture;
  const { cases } = wordsIn(language);
  const { headline, because } =
    answer === null
      ? { headline: failure ? writeFailure(failure, language) : cases.noResult, because: '' }
      : present(answer, language);
  const seen = writeSeenBefore(seenBefore, language);
  const isBrief = status === 'completed' && page === null;
  return [
    [printable(name, 120), styles.entry],
    [printable(headline), styles.cell],
    ...(because === '' ? [] : [[printable(because), styles.small] as const]),
    ...seen.flatMap(({ label, lines }) =>
      lines.map((line) => [`${label}: ${line}`, styles.small] as const),
    ),
    ...(isBrief ? [[cases.noPage, styles.note] as const] : []),
  ];
}

function drawPage(
  page: Page,
  { name, page: own }: CasePicture,
  language: Language,
  position: string,
): void {
  const section = own?.sections[language];
  if (own === null || section === undefined) return;
  const { labels, document } = wordsIn(language);
  page.reserve(sheet.bottom);
  flow(page, 'P', position, styles.note);
  flow(page, 'H2', printable(name, 100), styles.section);
  page.y += 4;
  const around = {
    page,
    labels,
    parts: document.parts,
    numbers: createNumberWriter(language),
    legend: legendColours(),
    images: { original: page.doc.openImage(own.jpeg), heatmaps: {}, methods: {} },
    size: own.size,
  };
  drawSection(around, { ...section, title: printable(name, 100) });
}
