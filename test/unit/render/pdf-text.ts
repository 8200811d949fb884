/** Reads back the text of a PDF written by pdfkit: just enough of ISO 32000 for our own files. */

import { inflateSync } from 'node:zlib';
import { type Document, DOMParser } from '@xmldom/xmldom';

interface TextPiece {
  readonly text: string;
  /** In points, from the lower left of the page. */
  readonly x: number;
  readonly y: number;
}

export interface PdfPage {
  readonly pieces: readonly TextPiece[];
  readonly text: string;
}

/** @throws if the document's metadata is not well-formed XML. */
export function readPages(pdf: Uint8Array): readonly PdfPage[] {
  readXmp(pdf);
  const objects = readObjects(Buffer.from(pdf));
  const fonts = readFonts(objects);
  return [...objects.values()]
    .filter(({ head }) => /\/Type \/Page\b/.test(head))
    .map(({ head }) => {
      const content = objects.get(Number(/\/Contents (\d+) 0 R/.exec(head)![1]))!.stream!;
      const pieces = readPieces(content.toString('latin1'), fonts);
      return { pieces, text: pieces.map(({ text }) => text).join('\n') };
    });
}

/** The XMP packet. @throws if it is not well-formed. */
export function readXmp(pdf: Uint8Array): Document {
  const objects = [...readObjects(Buffer.from(pdf)).values()];
  const packet = objects.find(({ head }) => head.includes('/Type /Metadata'))!.stream!;
  const text = packet.toString('utf8');
  // The parser tolerates a bare ampersand; XML 1.0 does not.
  if (/&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i.test(text)) throw new Error('A bare &.');
  const parser = new DOMParser({
    onError: (_level, message) => {
      throw new Error(message);
    },
  });
  return parser.parseFromString(text, 'application/xml');
}

interface PdfObject {
  readonly head: string;
  readonly stream: Buffer | null;
}

function readObjects(pdf: Buffer): ReadonlyMap<number, PdfObject> {
  const text = pdf.toString('latin1');
  const objects = new Map<number, PdfObject>();
  for (const match of text.matchAll(/^(\d+) 0 obj\n/gm)) {
    const from = match.index + match[0].length;
    const end = text.indexOf('endobj', from);
    const streamAt = text.indexOf('stream\n', from);
    const hasStream = streamAt >= 0 && streamAt < end;
    const head = text.slice(from, hasStream ? streamAt : end);
    const stream = hasStream ? readStream(pdf, head, streamAt + 'stream\n'.length) : null;
    objects.set(Number(match[1]), { head, stream });
    if (head.includes('/Type /ObjStm')) unpack(head, stream!, objects);
  }
  return objects;
}

function unpack(head: string, stream: Buffer, objects: Map<number, PdfObject>): void {
  const first = Number(/\/First (\d+)/.exec(head)![1]);
  const packed = stream.toString('latin1');
  const places = packed.slice(0, first).trim().split(' ').map(Number);
  for (let at = 0; at < places.length; at += 2) {
    const [id, from, to] = [places[at]!, places[at + 1]!, places[at + 3] ?? packed.length];
    objects.set(id, { head: packed.slice(first + from, first + to), stream: null });
  }
}

/** All objects, without the contents of streams, as text. */
export function readSource(pdf: Uint8Array): string {
  return [...readObjects(Buffer.from(pdf)).values()].map(({ head }) => head).join('');
}

function readStream(pdf: Buffer, head: string, from: number): Buffer {
  const length = Number(/\/Length (\d+)/.exec(head)![1]);
  const bytes = pdf.subarray(from, from + length);
  return head.includes('FlateDecode') ? inflateSync(bytes) : bytes;
}

/** The character of each glyph, by font name. */
function readFonts(objects: ReadonlyMap<number, PdfObject>): ReadonlyMap<string, string[]> {
  const fonts = new Map<string, string[]>();
  for (const { head } of objects.values()) {
    const inline = /\/Font <<([^>]*)>>/.exec(head)?.[1] ?? '';
    for (const [, name, id] of inline.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const toUnicode = /\/ToUnicode (\d+) 0 R/.exec(objects.get(Number(id))!.head)![1];
      fonts.set(name!, readCmap(objects.get(Number(toUnicode))!.stream!.toString('latin1')));
    }
  }
  return fonts;
}

function readCmap(cmap: string): string[] {
  const ranges = cmap.slice(cmap.indexOf('beginbfrange'), cmap.indexOf('endbfrange'));
  const lists = [...ranges.matchAll(/\[([^\]]*)\]/g)].map((match) => match[1]!);
  return lists
    .flatMap((list) => [...list.matchAll(/<([^>]*)>/g)])
    .map(([, codes]) =>
      String.fromCharCode(...(codes!.match(/[0-9a-f]{4}/gi) ?? []).map((c) => parseInt(c, 16))),
    );
}

function readPieces(content: string, fonts: ReadonlyMap<string, string[]>): readonly TextPiece[] {
  const pattern = /BT\n1 0 0 1 (\S+) (\S+) Tm\n\/(F\d+) \S+ Tf\n(?:[^\n]*\n)*?\[(.*?)\] TJ/g;
  return [...content.matchAll(pattern)].map(([, x, y, font, shown]) => {
    const glyphs = [...shown!.matchAll(/<([0-9a-f]*)>/g)].flatMap(
      ([, hex]) => hex!.match(/.{4}/g) ?? [],
    );
    const text = glyphs.map((glyph) => fonts.get(font!)![parseInt(glyph, 16)]).join('');
    return { text, x: Number(x), y: Number(y) };
  });
}

/** The text between header and footer of the pages. A line that is not the last of its text ends in a space. */
export function bodyOf(pages: readonly PdfPage[]): string {
  const pieces = pages.flatMap((page) => page.pieces.filter(({ y }) => y > 96 && y < 776));
  return pieces.map(({ text }) => (text.endsWith(' ') ? text : `${text}\n`)).join('');
}

/** The text of an HTML report in the form of `bodyOf`: one line per paragraph, heading and cell. */
export function textOfHtml(html: string): string {
  const [, main = ''] = html.match(/<main>(.*)<\/main>/s) ?? [];
  return main
    .replaceAll(/<svg.*?<\/svg>/gs, '')
    .replaceAll('\n', '')
    .replaceAll(/<(?:\/(?:p|h\d|td|th|li|tr|figcaption|nav|pre|label)|br|small)\b[^>]*>/g, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
