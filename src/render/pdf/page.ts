/**
 * The page on which blocks are drawn: margins, type, page breaks, structure tags and bookmarks.
 * Knows about points and lines, but not about what the lines say.
 */

import PdfDocument from 'pdfkit';
import type { Size } from '../../detectors/regions.ts';
import { breakLines, ink, openFonts, sheet, type Style, textWidth } from './style.ts';

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
    bookmark(title: string): void {
      doc.outline.addItem(title);
    },
  };
}

/**
 * Draws lines one below another, on as many pages as they need, and moves `y` below them.
 * @param indent - points from the left margin.
 */
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

/**
 * Minimum number of lines to keep together at the start of a paragraph, so that neither its first
 * line stands alone at the foot of a page nor its last line at the top of one.
 */
export function minLines(lines: number): number {
  return lines <= 3 ? lines : 2;
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
  const { regular, bold } = openFonts();
  doc.registerFont('regular', regular);
  doc.registerFont('bold', bold);
  return doc;
}

/** pdfkit writes the document's facts into the XMP packet without escaping them, and a file name may contain markup. */
class ReportDocument extends PdfDocument {
  override endMetadata(): void {
    const { Title = '', Subject = '' } = this.info;
    this.info = { ...this.info, Title: escapeXml(Title), Subject: escapeXml(Subject) };
    super.endMetadata();
  }
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
