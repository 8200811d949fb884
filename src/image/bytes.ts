/** Helpers for reading bytes, none of which reads past the end, and text in whatever encoding a program used. */

export function dataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads `length` bytes as Latin-1, fewer at the end. */
export function ascii(bytes: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + length));
}

export function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const byteOrderMarks: readonly (readonly [encoding: Encoding, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** By the byte order mark or the positions of zero bytes; otherwise UTF-8 if valid, else Latin-1. */
export function decodeText(bytes: Uint8Array): string {
  const marked = byteOrderMarks.find(([, mark]) => startsWith(bytes, mark));
  const encoding = marked?.[0] ?? encodingByZeros(bytes);
  const text = new TextDecoder(encoding).decode(bytes);
  const isUtf8 = encoding !== 'utf-8' || !text.includes('\u{fffd}');
  return isUtf8 ? text : new TextDecoder('latin1').decode(bytes);
}

/** The first four bytes of a structure or of Latin text reveal the width of its characters. */
function encodingByZeros(bytes: Uint8Array): Encoding {
  const pattern = Array.from(bytes.subarray(0, 8), (byte) => (byte === 0 ? '0' : 'x')).join('');
  if (/^(?:x0){2,4}$/.test(pattern)) return 'utf-16le';
  return /^(?:0x){2,4}$/.test(pattern) ? 'utf-16be' : 'utf-8';
}

/** The text before the first NUL: what follows is left over from the memory of the program that wrote it. */
export function untilNul(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

/** Whether the text is a workflow, settings or a prompt, any of which generators may store in any field. */
export function isStructure(text: string): boolean {
  return /^\s*(?:(?:prompt|workflow)\s*:|[{[])/i.test(text) || text.length > 200;
}
