/**
 * Reads XMP packets: the properties of the picture and, separately, those nested in them. It reads as much as possible
 * of a truncated packet, because its declarations still count. Each character is visited only once, so a malicious
 * packet takes no longer than any other packet of the same length.
 *
 * @see ISO 16684-1 (XMP), clause 7, for the serialisation in RDF/XML and the encodings.
 */

import { decodeText } from './bytes.ts';

export interface XmpValue {
  /** Local names, from the property downwards: `DigitalSourceType`, `History/softwareAgent`. */
  readonly path: string;
  readonly text: string;
  /** Number of the list item that contains the value, counted over the whole packet; 0 outside a list. */
  readonly item: number;
}

const maxValues = 200_000;
const maxDepth = 100;

/** RDF and XMP containers, which are not part of a path. */
const containers = /^(?:rdf:(?:RDF|Description|Bag|Seq|Alt|li|value)|x:x[am]pmeta|.*:RDF)$/;
const noProperty = /^(?:xmlns|xml|x|rdf)(?::|$)/;

/** `isWhole` is false if the packet is truncated or has too many values. @throws {Error} if nothing can be read. */
export function readXmp(packet: Uint8Array) {
  const read = createReader();
  const isScanned = scanXml(decodeText(packet), read);
  const { values, isClosed, isRdf } = read.end();
  // Phones write packets without properties; for these, nothing is lost.
  if (values.length === 0 && !(isRdf && isScanned)) throw new Error('Not an XMP packet.');
  return { values, isWhole: isScanned && isClosed && values.length < maxValues };
}

type Reader = ReturnType<typeof createReader>;

interface OpenElement {
  readonly name: string;
  readonly path: string;
  readonly item: number;
  /** Whether the element lies inside `rdf:RDF`. */
  readonly isInside: boolean;
  text: string;
  hasChildren: boolean;
}

/** Turns the elements inside `rdf:RDF` into values. */
function createReader() {
  const stack: OpenElement[] = [];
  const values: XmpValue[] = [];
  let items = 0;
  let isRdf = false;
  const add = (path: string, item: number, raw: string) => {
    const text = decodeEntities(raw).trim();
    if (path !== '' && text !== '' && values.length < maxValues) values.push({ path, text, item });
  };
  const closeLast = () => {
    const last = stack.pop();
    if (last !== undefined && !last.hasChildren) add(last.path, last.item, last.text);
  };
  return {
    open(name: string, attributes: readonly (readonly [name: string, value: string])[]) {
      const parent = stack.at(-1);
      const isInside = parent !== undefined && (parent.isInside || parent.name.endsWith(':RDF'));
      const isStep = isInside && !containers.test(name);
      const path = isStep ? joinPath(parent.path, name) : (parent?.path ?? '');
      const item = name === 'rdf:li' ? ++items : (parent?.item ?? 0);
      if (parent) parent.hasChildren = true;
      isRdf ||= name.endsWith(':RDF');
      stack.push({ name, path, item, isInside, text: '', hasChildren: false });
      if (stack.length > maxDepth) throw new Error('An XMP packet nested too deep.');
      if (!isInside) return;
      for (const [attribute, value] of attributes) {
        if (attribute === 'rdf:resource') add(path, item, value);
        else if (!noProperty.test(attribute)) add(joinPath(path, attribute), item, value);
      }
    },
    text(text: string) {
      const last = stack.at(-1);
      if (last !== undefined && !last.hasChildren) last.text += text;
    },
    close(name: string) {
      const at = stack.findLastIndex((one) => one.name === name);
      // A closing tag without an opening tag closes nothing.
      const kept = at < 0 ? stack.length : at;
      while (stack.length > kept) closeLast();
    },
    /** The end of the packet closes all elements that are still open. */
    end() {
      const isClosed = stack.length === 0;
      while (stack.length > 0) closeLast();
      return { values, isClosed, isRdf };
    },
  };
}

function joinPath(path: string, name: string): string {
  const local = name.slice(name.lastIndexOf(':') + 1);
  return path === '' ? local : `${path}/${local}`;
}

const named: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi,
    (entity, ...groups) => {
      const [decimal, hexadecimal, name] = groups as readonly (string | undefined)[];
      if (name !== undefined) return named[name] ?? entity;
      const point = decimal ? Number(decimal) : Number.parseInt(hexadecimal ?? '', 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : entity;
    },
  );
}

const attribute = /\s+([^\s<>/="']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
/** A slash is allowed, as in GIMP's `exif:TIFF/EPStandardID`. */
const tagName = /[^\s<>/="']+(?:\/[^\s<>/="']+)*/y;
const tagEnd = /\s*(\/?)>/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The number of tags in a 16 MB packet whose entries are as long as those of Photoshop. */
const maxTags = 600_000;

/** False if the text ends inside a tag, or if there are too many tags. */
function scanXml(xml: string, reader: Omit<Reader, 'end'>): boolean {
  let position = 0;
  for (let tags = 0; tags < maxTags; tags++) {
    const start = xml.indexOf('<', position);
    reader.text(xml.slice(position, start < 0 ? undefined : start));
    if (start < 0) return true;
    const next = xml[start + 1];
    const end =
      next === '!' || next === '?'
        ? skipMarkup(xml, start, reader)
        : readTag(xml, start, next === '/', reader);
    if (end === null) return false;
    position = end;
  }
  return false;
}

/** Comments, processing instructions and declarations, by their delimiters; in a CDATA section, the content is text. */
const skipped = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
] as const;

/** @returns the offset of the end of the markup, or null if it does not end. */
function skipMarkup(xml: string, start: number, reader: Pick<Reader, 'text'>): number | null {
  const [begin, end] = skipped.find(([head]) => xml.startsWith(head, start))!;
  const stop = xml.indexOf(end, start + begin.length);
  if (stop < 0) return null;
  if (begin === '<![CDATA[') reader.text(xml.slice(start + begin.length, stop));
  return stop + end.length;
}

/** @returns the offset of the end of the tag, or null if it does not end. */
function readTag(
  xml: string,
  start: number,
  isClosing: boolean,
  reader: Omit<Reader, 'end'>,
): number | null {
  const nameStart = start + (isClosing ? 2 : 1);
  const name = matchAt(tagName, xml, nameStart)?.[0];
  if (name === undefined) {
    // A bare `<`, which careless programs leave in a text.
    reader.text('<');
    return start + 1;
  }
  let position = nameStart + name.length;
  const attributes: (readonly [string, string])[] = [];
  for (;;) {
    const found = xml[position] === '>' ? null : matchAt(attribute, xml, position);
    if (found === null) break;
    attributes.push([found[1]!, found[2] ?? found[3] ?? '']);
    position = attribute.lastIndex;
  }
  const end = matchAt(tagEnd, xml, position);
  if (end === null) return null;
  if (!isClosing) reader.open(name, attributes);
  if (isClosing || end[1] === '/') reader.close(name);
  return position + end[0].length;
}
