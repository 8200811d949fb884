/** The report on a case as a PDF: an overview of all pictures, then the first page of each picture's report. */

import type { Language } from '../../contract/vocabulary.ts';
import { type CasePicture, type CaseReport, writeCaseSummary } from '../../present/cases.ts';
import { writeFailure } from '../../present/failures.ts';
import { writeSeenBefore } from '../../present/findings.ts';
import { present } from '../../present/presentation.ts';
import { printable } from '../../present/text.ts';
import { createNumberWriter, wordsIn } from '../../present/wording/catalogue.ts';
import { flow, openPage, type Page, putImage, sheet, type Style, styles } from './page.ts';
import { collect, drawEdges, drawLaboratory, drawSection, surround } from './pdf.ts';

/** The same case gives the same bytes. */
export async function renderCasePdf(report: CaseReport, language: Language): Promise<Uint8Array> {
  const { name, pictures, ofOneCamera, madeAt, listSha256, caseData } = report;
  const { cases, labels } = wordsIn(language);
  const title = cases.title(printable(name, 100));
  const page = openPage({
    title: `${labels.title}: ${title}`,
    subject: listSha256 === null ? title : `SHA-256 ${listSha256}`,
    language,
    createdAt: madeAt,
  });
  page.reserve(70);
  page.doc.outline.addItem(title);
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
  // Beside the number of the page there is room for about 50 wide letters.
  drawEdges(page.doc, labels, cases.title(printable(name, 40)));
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
  const { name, status, isStarted, answer, failure, seenBefore, page } = picture;
  const { cases } = wordsIn(language);
  const open = isStarted ? cases.noResult : `${cases.notStarted}.`;
  const { headline, because } =
    answer === null
      ? { headline: failure ? writeFailure(failure, language) : open, because: '' }
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
  page.reserve(sheet.bottom);
  flow(page, 'P', position, styles.note);
  flow(page, 'H2', printable(name, 100), styles.section);
  page.y += 4;
  const images = { original: page.doc.openImage(own.jpeg), heatmaps: {}, methods: {} };
  const around = surround(page, language, { images, size: own.size });
  drawSection(around, { ...section, title: printable(name, 100) });
}
