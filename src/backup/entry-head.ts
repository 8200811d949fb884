/**
 * The head of an entry of a tar archive, in exactly one form: a plain file for its owner's eyes alone, without owner, link or
 * further fields. The same name, size and time give the same 512 bytes, so that a reader finds every byte that was changed
 * by writing the head again.
 *
 * @see IEEE Std 1003.1-2017, pax, "ustar Interchange Format"; sizes from 8 GiB on in the binary form that GNU, BSD and busybox read.
 */

export interface EntryHead {
  /** Parted by slashes. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Seconds since 1970. */
  readonly at: number;
}

export const blockBytes = 512;
/** What ends an archive: two empty blocks. */
export const archiveEnd = Buffer.alloc(2 * blockBytes);

const nameBytes = 100;
const prefixBytes = 155;
const prefixAt = 345;
const sizeAt = 124;
const timeAt = 136;
const checksumAt = 148;
/** Eleven octal digits. */
const largestInDigits = 0o77777777777;

/** @throws {RangeError} for a name that the format cannot hold. */
export function encodeHead({ name, sizeBytes, at }: EntryHead): Buffer {
  const block = Buffer.alloc(blockBytes);
  const { prefix, rest } = partedName(name);
  block.write(rest, 0);
  // Mode, owner, group; the zero that ends each field is there.
  for (const [index, value] of [0o600, 0, 0].entries()) {
    block.write(octal(value, 7), nameBytes + 8 * index);
  }
  writeSize(block, sizeBytes);
  block.write(octal(at, 11), timeAt);
  block.write('0', 156);
  block.write('ustar', 257);
  block.write('00', 263);
  for (const deviceAt of [329, 337]) block.write(octal(0, 7), deviceAt);
  block.write(prefix, prefixAt);
  block.write(`${octal(checksumOf(block), 6)}\0 `, checksumAt);
  return block;
}

/** Null when it is not, byte for byte, what `encodeHead` writes. */
export function decodeHead(block: Buffer): EntryHead | null {
  const [prefix, rest] = [textAt(block, prefixAt, prefixBytes), textAt(block, 0, nameBytes)];
  const head = {
    name: prefix === '' ? rest : `${prefix}/${rest}`,
    sizeBytes: readSize(block),
    at: Number.parseInt(textAt(block, timeAt, 12), 8),
  };
  if (!Number.isSafeInteger(head.sizeBytes) || !Number.isSafeInteger(head.at)) return null;
  return isHoldable(head.name) && encodeHead(head).equals(block) ? head : null;
}

export function isHoldable(name: string): boolean {
  return name !== '' && !name.includes('\0') && partOf(name) !== null;
}

/** Bytes up to the next full block. */
export function paddingOf(sizeBytes: number): number {
  return (blockBytes - (sizeBytes % blockBytes)) % blockBytes;
}

function partedName(name: string): { readonly prefix: string; readonly rest: string } {
  const at = partOf(name);
  if (at === null) throw new RangeError('The name of an entry is too long.');
  return { prefix: name.slice(0, Math.max(0, at)), rest: name.slice(at + 1) };
}

/** Where the slash stands that parts prefix and name: -1 for a name without a prefix, null when both cannot hold it. */
function partOf(name: string): number | null {
  if (Buffer.byteLength(name) <= nameBytes) return -1;
  for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1)) {
    const [before, after] = [name.slice(0, at), name.slice(at + 1)];
    if (Buffer.byteLength(after) > nameBytes) continue;
    return Buffer.byteLength(before) <= prefixBytes && after !== '' ? at : null;
  }
  return null;
}

function writeSize(block: Buffer, sizeBytes: number): void {
  if (sizeBytes <= largestInDigits) {
    block.write(`${octal(sizeBytes, 11)}\0`, sizeAt);
    return;
  }
  block.writeUInt8(0x80, sizeAt);
  block.writeBigUInt64BE(BigInt(sizeBytes), sizeAt + 4);
}

function readSize(block: Buffer): number {
  if (block[sizeAt] === 0x80) return Number(block.readBigUInt64BE(sizeAt + 4));
  return Number.parseInt(textAt(block, sizeAt, 12), 8);
}

/** The sum of all bytes, the field of the sum itself taken as spaces. */
function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let i = 0; i < blockBytes; i++) {
    if (i < checksumAt || i >= checksumAt + 8) sum += block[i]!;
  }
  return sum;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function textAt(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}
