/**
 * The only place that knows exifreader. Each reader gets one block, wrapped in the smallest file that exifreader accepts,
 * so that no length field of the real file is ever followed by it.
 */

// Node.js finds no named exports in its minified CommonJS, so the default import is the only one that works.
/* oxlint-disable import/no-named-as-default-member */

import ExifReader from 'exifreader';

export interface FoundTags {
  /** Numbers and texts; anything else is dropped later. */
  readonly tags: ReadonlyMap<string, unknown>;
  readonly hasThumbnail: boolean;
}

/** Tags without facts for a reader: offsets in the file, and raw blocks. */
const structuralTags: ReadonlySet<string> = new Set(
  [
    ['Exif IFD Pointer', 'GPS Info IFD Pointer', 'Interoperability IFD Pointer'],
    ['MakerNote', 'IPTC-NAA', 'ApplicationNotes', 'ICC_Profile', 'ImageSourceData'],
    ['PhotoshopSettings', 'Padding', 'OffsetSchema', '_raw', 'about'],
  ].flat(),
);

/** @throws whatever exifreader throws on a broken block. */
export function readExif(tiff: Uint8Array): FoundTags {
  const { exif = {}, Thumbnail } = ExifReader.load(copyBytes(tiff), {
    expanded: true,
    excludeTags: { makerNotes: true, composite: true, xmp: true, iptc: true, icc: true },
  });
  // The group is there whenever the second directory is; a picture only when its range is inside the block.
  const hasThumbnail = Thumbnail?.image !== undefined;
  if (Object.keys(exif).length === 0 && !hasThumbnail) {
    throw new Error('An EXIF block without a tag.');
  }
  return { tags: describe(exif), hasThumbnail };
}

/** @throws when the packet is not well-formed or holds no RDF. */
export function readXmp(packet: Uint8Array): FoundTags {
  const xmp = loadXmp(packet);
  if (xmp === undefined || Object.keys(xmp).every((name) => name === '_raw')) {
    throw new Error('An XMP packet without a property.');
  }
  return { tags: describe(xmp), hasThumbnail: false };
}

function loadXmp(packet: Uint8Array): object | undefined {
  // exifreader knows a bare packet by its header. Headers inside are renamed: its pattern for them takes quadratic time.
  const text = new TextDecoder().decode(packet).replaceAll('<?xpacket', '<?packet');
  const file = new TextEncoder().encode(
    `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>${text}`,
  );
  return ExifReader.load(copyBytes(file), { expanded: true }).xmp;
}

/**
 * The steps of `xmpMM:History`, each as its fields by name, in the order of the packet.
 *
 * @throws when the packet is not well-formed or holds no RDF.
 * @see Adobe XMP specification part 2, ResourceEvent, for the fields.
 */
export function readXmpHistory(packet: Uint8Array): readonly Readonly<Record<string, unknown>>[] {
  const history: unknown = Object.entries(loadXmp(packet) ?? {}).find(
    ([name]) => name === 'History',
  )?.[1];
  const steps: unknown = Object(history).value;
  return Array.isArray(steps)
    ? steps.map((step: object) => Object.fromEntries(describe(step)))
    : [];
}

/** @throws whatever exifreader throws on a broken block. */
export function readIptc(photoshop: Uint8Array): FoundTags {
  const { iptc = {} } = ExifReader.load(jpegAround(photoshop), {
    expanded: true,
    includeTags: { iptc: true },
  });
  return { tags: describe(iptc), hasThumbnail: false };
}

/** SOI, one APP13 segment, EOI. */
function jpegAround(photoshop: Uint8Array): ArrayBuffer {
  const identifier = new TextEncoder().encode('Photoshop 3.0\0');
  const length = 2 + identifier.length + photoshop.length;
  if (length > 0xffff) throw new RangeError('Photoshop resources larger than a JPEG segment.');
  const head = [0xff, 0xd8, 0xff, 0xed, length >> 8, length & 255];
  return Uint8Array.from([...head, ...identifier, ...photoshop, 0xff, 0xd9]).buffer;
}

/** exifreader reads from the start of an ArrayBuffer: a view into a larger one would show it the whole file. */
function copyBytes(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

function describe(tags: object): Map<string, unknown> {
  const described = new Map<string, unknown>();
  for (const [name, tag] of Object.entries(tags) as [string, unknown][]) {
    if (!structuralTags.has(name)) described.set(name, describeTag(tag));
  }
  return described;
}

/** IPTC repeats a tag for each keyword; these are joined. */
function describeTag(tag: unknown): unknown {
  if (Array.isArray(tag)) return tag.map(describeTag).join(', ');
  if (typeof tag !== 'object' || tag === null || !('description' in tag)) return null;
  return tag.description;
}
