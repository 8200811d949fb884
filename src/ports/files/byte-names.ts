/**
 * Handles file names that are not UTF-8, such as those on old disks. Node.js decodes each invalid byte as U+FFFD, and
 * then cannot find the file. Here such a byte becomes a lone surrogate, U+DC80 to U+DCFF, which never occurs in text:
 * paths can be joined and compared as usual, and opening a file restores the original bytes.
 *
 * @see PEP 383, which does the same in Python.
 */

import { isUtf8 } from 'node:buffer';
import { readFileSync, readlinkSync } from 'node:fs';
import { resolve } from 'node:path';

const escapeBase = 0xdc00;
/** With the `u` flag, this does not match halves of a surrogate pair. */
const escapes = /[\udc80-\udcff]/u;
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function nameOf(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return strict.decode(bytes);
  let name = '';
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((n) => isUtf8(bytes.subarray(at, at + n)));
    const isWhole = length !== undefined && at + length <= bytes.length;
    name += isWhole
      ? strict.decode(bytes.subarray(at, at + length))
      : String.fromCharCode(escapeBase + bytes[at]!);
    at += isWhole ? length : 1;
  }
  return name;
}

export function pathOf(name: string): string | Buffer {
  if (!escapes.test(name)) return name;
  return Buffer.concat(
    Array.from(name, (character) =>
      escapes.test(character) ? Buffer.of(byteOf(character)) : Buffer.from(character),
    ),
  );
}

/** The name for display, and for documents that must be text; each byte that is not UTF-8 appears as ⟨0xE4⟩. */
export function shownName(name: string): string {
  return Array.from(name, (character) =>
    escapes.test(character) ? `⟨0x${byteOf(character).toString(16).toUpperCase()}⟩` : character,
  ).join('');
}

function byteOf(escape: string): number {
  return escape.charCodeAt(0) - escapeBase;
}

/** The absolute path. Even the working directory may have a name that is not UTF-8. */
export function absolutePath(name: string): string {
  const folder = process.cwd();
  if (!folder.includes('\ufffd') || process.platform !== 'linux') return resolve(name);
  return resolve(nameOf(readlinkSync('/proc/self/cwd', { encoding: 'buffer' })), name);
}

/** The arguments with their original bytes, which only Linux makes available. @param argv - as `process.argv`. */
export function withNameBytes(argv: readonly string[]): readonly string[] {
  if (process.platform !== 'linux' || !argv.some((arg) => arg.includes('\ufffd'))) return argv;
  const given = readFileSync('/proc/self/cmdline');
  const parts: Buffer[] = [];
  for (let from = 0; from < given.length; ) {
    const end = given.indexOf(0, from);
    parts.push(given.subarray(from, end));
    from = end + 1;
  }
  // Options of Node.js itself come first, and are not part of `argv`.
  const last = parts.slice(-argv.length);
  return argv.map((arg, at) => (last[at]?.toString('utf8') === arg ? nameOf(last[at]) : arg));
}
