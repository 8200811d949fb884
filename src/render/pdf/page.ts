/**
 * The page on which blocks are drawn: its size and text styles, margins, type, page breaks, structure tags and
 * bookmarks. Knows about points (1/72 inch, from the upper left) and lines, but not about what the lines say.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { deflateSync } from 'node:zlib';
import PdfDocument from 'pdfkit';
import { escapeMarkup } from '../../contract/common.ts';
import type { Size } from '../../detectors/regions.ts';
import { breakLines } from '../../present/text.ts';

/** A4. Everything is drawn between 36 and 778 pt, so that it also prints unscaled on US Letter (792 pt high). */
export const sheet = {
  width: 595.28,
  height: 841.89,
  left: 56,
  right: 539.28,
  top: 67,
  bottom: 748,
  headerTop: 40,
  footerTop: 762,
} as const;

export const textWidth = sheet.right - sheet.left;

/** In points, a fifth of a page. A longer table may be split, because moving it would leave a large gap. */
export const maxWhole = 0.2 * (sheet.bottom - sheet.top);

/** In points: the gap below a note or the caption of two pictures. */
export const belowNote = 4;

export const ink = {
  text: '#1b1f2a',
  muted: '#5a6272',
  rule: '#d3d7de',
  panel: '#f2f3f6',
  accent: '#3d2a6b',
  range: '#e0803a',
} as const;

/** Font size and line spacing in points. */
export const styles = {
  title: { font: 'bold', size: 16, leading: 20, colour: ink.text },
  headline: { font: 'bold', size: 13.5, leading: 18, colour: ink.accent },
  section: { font: 'bold', size: 13, leading: 17, colour: ink.accent },
  heading: { font: 'bold', size: 9.4, leading: 13.1, colour: ink.accent },
  entry: { font: 'bold', size: 9.2, leading: 12.5, colour: ink.text },
  body: { font: 'regular', size: 9.2, leading: 12.5, colour: ink.text },
  cell: { font: 'regular', size: 8.5, leading: 11.3, colour: ink.text },
  label: { font: 'regular', size: 8.5, leading: 11.3, colour: ink.muted },
  tightCell: { font: 'regular', size: 8.1, leading: 10.2, colour: ink.text },
  tightLabel: { font: 'regular', size: 8.1, leading: 10.2, colour: ink.muted },
  denseCell: { font: 'regular', size: 7.6, leading: 9.6, colour: ink.text },
  denseLabel: { font: 'regular', size: 7.6, leading: 9.6, colour: ink.muted },
  mark: { font: 'bold', size: 7, leading: 9, colour: ink.accent },
  quietMark: { font: 'regular', size: 7, leading: 9, colour: ink.muted },
  head: { font: 'bold', size: 7.5, leading: 10.4, colour: ink.muted },
  small: { font: 'regular', size: 7.8, leading: 10.4, colour: ink.text },
  note: { font: 'regular', size: 7.5, leading: 10, colour: ink.muted },
} as const;
export type Style = (typeof styles)[keyof typeof styles];

/** An image that the document stores once, however often it is shown. */
export interface HeldImage {
  readonly width: number;
  readonly height: number;
}

export type Document = PDFKit.PDFDocument;

declare global {
  namespace PDFKit.Mixins {
    /** pdfkit documents both members for images shown more than once, but its types omit them. */
    interface PDFImage {
      openImage(file: Uint8Array): HeldImage;
      image(image: HeldImage, x: number, y: number, size: { width: number; height: number }): this;
    }
    interface PDFMetadata {
      /** Writes the XMP packet from `info`; call it once `info` is complete. */
      endMetadata(): void;
    }
  }
}

export type Tag = PDFKit.PDFStructureElement;

export type Page = ReturnType<typeof openPage>;

interface DocumentFacts {
  readonly title: string;
  readonly subject: string;
  readonly language: string;
  readonly createdAt: Date;
}

/** Opens a document without pages; `reserve` adds them. The same facts and drawing give the same bytes. */
export function openPage(facts: DocumentFacts) {
  const doc = openDocument(facts);
  const root = doc.struct('Document');
  doc.addStructure(root);

  return {
    doc,
    /** The vertical position at which the next block starts. */
    y: sheet.bottom as number,
    /** Whether the tables of the first page need smaller type to fit on it. */
    isDense: false,
    /** Starts a new page if less than `height` is left on this one. */
    reserve(height: number): void {
      if (this.y + height <= sheet.bottom) return;
      doc.addPage();
      this.y = sheet.top;
    },
    /** Breaks text into lines; a line feed also starts a new line. */
    lines(text: string, style: Style, width: number): readonly string[] {
      doc.font(style.font).fontSize(style.size);
      const space = doc.widthOfString(' ');
      return text.split('\n').flatMap((line) =>
        // Measured together with the following space, because pdfkit lays out and caches words in this form.
        breakLines(line, width, (part) => doc.widthOfString(`${part} `) - space),
      );
    },
    widthOf(line: string, style: Style): number {
      return doc.font(style.font).fontSize(style.size).widthOfString(line);
    },
    /** Draws lines at a position, without moving `y`. */
    put(lines: readonly string[], style: Style, x: number, y: number): void {
      doc.font(style.font).fontSize(style.size).fillColor(style.colour);
      lines.forEach((line, i) => {
        doc.text(line, x, y + i * style.leading, { lineBreak: false });
      });
    },
    /** Opens a structure element for what `draw` puts on the current page. */
    mark(
      tag: string,
      draw: () => void,
      { alt, parent = root }: { readonly alt?: string; readonly parent?: Tag } = {},
    ): void {
      const element = doc.struct(tag, alt === undefined ? {} : { alt });
      parent.add(element);
      element.add(draw);
      element.end();
    },
    /** Draws decoration, marked as an artifact for screen readers. */
    decorate(draw: () => void): void {
      doc.markContent('Artifact');
      draw();
      doc.endMarkedContent();
    },
    group(tag: string, parent: Tag = root): Tag {
      const element = doc.struct(tag);
      parent.add(element);
      return element;
    },
  };
}

/** On as many pages as they need; moves `y` below them. @param indent - points from the left margin. */
export function flow(
  page: Page,
  tag: string,
  text: string,
  style: Style,
  { parent, indent = 0 }: { readonly parent?: Tag; readonly indent?: number } = {},
): void {
  const element = page.group(tag, parent);
  let rest = page.lines(text, style, textWidth - indent);
  page.reserve(minLines(rest.length) * style.leading);
  while (rest.length > 0) {
    page.reserve(style.leading);
    const room = Math.floor((sheet.bottom - page.y) / style.leading + 1e-6);
    // The last line must not stand alone at the top of the next page.
    const isLastAlone = room > 2 && rest.length === room + 1;
    const here = rest.slice(0, isLastAlone ? room - 1 : room);
    element.add(() => page.put(here, style, sheet.left + indent, page.y));
    page.y += here.length * style.leading;
    rest = rest.slice(here.length);
    if (rest.length > 0) page.reserve(sheet.bottom);
  }
  element.end();
}

/** How many first lines to keep together, so that no line stands alone at the foot or the top of a page. */
export function minLines(lines: number): number {
  return lines <= 3 ? lines : 2;
}

/** In points, of the text broken into lines. */
export function linesHeight(page: Page, text: string, style: Style, width = textWidth): number {
  return page.lines(text, style, width).length * style.leading;
}

/** Draws an image at the left margin, at most as large as the box or one point per pixel. @returns its size. */
export function putImage(page: Page, bytes: Uint8Array, box: Size, alt: string): Size {
  const image = page.doc.openImage(bytes);
  const scale = Math.min(box.width / image.width, box.height / image.height, 1);
  const size = { width: image.width * scale, height: image.height * scale };
  page.mark('Figure', () => page.doc.image(image, sheet.left, page.y, size), { alt });
  return size;
}

/** Moves `y` below a row of a table and draws a line there. */
export function endRow(page: Page, height: number, lineWidth: number): void {
  page.y += height;
  page.decorate(() => {
    page.doc.moveTo(sheet.left, page.y).lineTo(sheet.right, page.y);
    page.doc.lineWidth(lineWidth).stroke(ink.rule);
  });
}

function openDocument({ title, subject, language, createdAt }: DocumentFacts): Document {
  const doc = new ReportDocument({
    size: 'A4',
    margin: 0,
    autoFirstPage: false,
    bufferPages: true,
    pdfVersion: '1.7',
    tagged: true,
    displayTitle: true,
    lang: language,
    // Prevents pdfkit from reading a standard font from its own files.
    font: '',
    info: {
      Title: title,
      Subject: subject,
      Author: 'forensics',
      Creator: 'forensics',
      // pdfkit derives the document's identifier from these, so that the same report always has the same one.
      CreationDate: createdAt,
    },
  });
  doc.registerFont('regular', readFont('DejaVuSansCondensed'));
  doc.registerFont('bold', readFont('DejaVuSansCondensed-Bold'));
  return doc;
}

/** pdfkit writes the document's facts into the XMP packet without escaping them, and a file name may contain markup. */
class ReportDocument extends PdfDocument {
  override endMetadata(): void {
    const { Title = '', Subject = '' } = this.info;
    this.info = { ...this.info, Title: escapeMarkup(Title), Subject: escapeMarkup(Subject) };
    super.endMetadata();
  }
}

/** By name, so that each is read once per process. */
const fonts = new Map<string, Buffer>();

/** DejaVu Sans Condensed. Its licence (Bitstream Vera) allows embedding the fonts, or parts of them, in documents. */
function readFont(name: string): Buffer {
  const { resolve } = createRequire(import.meta.url);
  const font =
    fonts.get(name) ?? withoutShaping(readFileSync(resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)));
  fonts.set(name, font);
  return font;
}

/**
 * The font with its tables of kerning, ligatures and mark positions hidden, by renaming their tags in the table
 * directory. Shaping took half the time of a report, and its ligatures would join letters that must stay separate, such
 * as ff and fi in a checksum or file name.
 *
 * @see ISO/IEC 14496-22, "Table directory": 12 bytes of header, then 16 per table, of which 4 are the tag.
 */
function withoutShaping(font: Buffer): Buffer {
  const hidden = Buffer.from(font);
  const tables = hidden.readUInt16BE(4);
  for (let table = 0; table < tables; table++) {
    const at = 12 + 16 * table;
    const tag = hidden.toString('latin1', at, at + 4);
    if (['GSUB', 'GPOS', 'GDEF', 'kern'].includes(tag)) hidden.write('----', at, 'latin1');
  }
  return hidden;
}

/** Puts all but streams into one compressed stream: tags took a quarter of a report. @see ISO 32000-1, 7.5.7, 7.5.8. */
export function packObjects(file: Buffer): Uint8Array {
  const text = file.toString('latin1');
  const tableAt = text.lastIndexOf('\nxref\n') + 1;
  const [table = '', trailer] = text.slice(tableAt).split(/trailer\n<<\n\/Size \d+|>>\nstart/);
  const starts = Array.from(table.matchAll(/^\d{10}(?= 00000 n)/gm), Number);
  const bounds = [...starts, tableAt].toSorted((one, other) => one - other);
  // By identifier: 1 and the position in the file, or 2, the stream that contains the object, and its place there.
  const entries = [[0, 0, 0]];
  let packed = text.slice(0, bounds[0]);
  const heads: string[] = [];
  let bodies = '';
  for (const start of starts) {
    const object = text.slice(start, bounds[bounds.indexOf(start) + 1]);
    if (object.includes('\nstream\n')) {
      entries.push([1, packed.length, 0]);
      packed += object;
    } else {
      heads.push(`${entries.length} ${bodies.length} `);
      entries.push([2, starts.length + 1, heads.length - 1]);
      bodies += object.slice(object.indexOf('\n'), -'endobj\n'.length);
    }
  }
  const addStream = (facts: string, contents: () => Buffer) => {
    const id = entries.push([1, packed.length, 0]) - 1;
    const bytes = deflateSync(contents()).toString('latin1');
    packed += `${id} 0 obj\n<< ${facts} /Filter /FlateDecode /Length ${bytes.length} >>\n`;
    packed += `stream\n${bytes}\nendstream\nendobj\n`;
  };
  const head = heads.join('');
  addStream(`/Type /ObjStm /N ${heads.length} /First ${head.length}`, () =>
    Buffer.from(head + bodies, 'latin1'),
  );
  const end = `startxref\n${packed.length}\n%%EOF\n`;
  addStream(`/Type /XRef /W [4 4 4] /Size ${entries.length + 1}${trailer}`, () =>
    Buffer.from(Uint32Array.from(entries.flat()).buffer).swap32(),
  );
  return Buffer.from(packed + end, 'latin1');
}
