/** Decodes text from a file in whatever encoding a program used. */

const byteOrderMarks: readonly (readonly [encoding: Encoding, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  // Must come before UTF-16, whose mark is a prefix of this one.
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

/**
 * Chooses the encoding by the byte order mark, or by the position of zero bytes; otherwise UTF-8 if valid, or else Latin-1.
 */
export function decodeText(bytes: Uint8Array): string {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte));
  const encoding = marked?.[0] ?? encodingByZeros(bytes);
  if (encoding === 'utf-32le' || encoding === 'utf-32be') return decodeUtf32(bytes, encoding);
  const text = new TextDecoder(encoding).decode(bytes);
  const isUtf8 = encoding !== 'utf-8' || !text.includes('\u{fffd}');
  return isUtf8 ? text : new TextDecoder('latin1').decode(bytes);
}

/** The first four bytes of a structure or Latin text reveal the width of its characters. */
function encodingByZeros(bytes: Uint8Array): Encoding {
  const pattern = Array.from(bytes.subarray(0, 8), (byte) => (byte === 0 ? '0' : 'x')).join('');
  if (/^x000(?:x000)?$/.test(pattern)) return 'utf-32le';
  if (/^000x(?:000x)?$/.test(pattern)) return 'utf-32be';
  if (/^(?:x0){2,4}$/.test(pattern)) return 'utf-16le';
  return /^(?:0x){2,4}$/.test(pattern) ? 'utf-16be' : 'utf-8';
}

/** Node.js has no UTF-32 decoder. Invalid characters become U+FFFD. */
function decodeUtf32(bytes: Uint8Array, encoding: 'utf-32le' | 'utf-32be'): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  const chunkBytes = 4 * 4096;
  for (let start = 0; start + 4 <= bytes.length; start += chunkBytes) {
    const count = Math.min(chunkBytes, bytes.length - start) >> 2;
    const points = Array.from({ length: count }, (_, i) => {
      const point = view.getUint32(start + 4 * i, encoding === 'utf-32le');
      return point > 0x10ffff ? 0xfffd : point;
    });
    parts.push(String.fromCodePoint(...points));
  }
  return parts.join('').replace(/^\u{feff}/u, '');
}

/** The text before the first NUL: what follows is leftover memory of the writing program. */
export function untilNul(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

/** Whether the text is a workflow, settings or a prompt, which generators store in any field. */
export function isStructure(text: string): boolean {
  return /^\s*(?:(?:prompt|workflow)\s*:|[{[])/i.test(text) || text.length > 200;
}
