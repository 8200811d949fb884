/** The checksums that S3 clients send with a body, in a header or in a trailer. */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export interface Checksum {
  /** Length of the digest. */
  readonly bytes: number;
  update(bytes: Uint8Array): void;
  /** Big-endian. */
  digest(): Buffer;
}

export const checksums: Readonly<Record<string, () => Checksum>> = {
  'x-amz-checksum-crc32': () => createCrc32(crc32),
  'x-amz-checksum-crc32c': () => createCrc32(crc32c),
  'x-amz-checksum-crc64nvme': createCrc64,
  'x-amz-checksum-sha1': () => createDigest('sha1', 20),
  'x-amz-checksum-sha256': () => createDigest('sha256', 32),
};

function createDigest(algorithm: string, bytes: number): Checksum {
  const hash = createHash(algorithm);
  return { bytes, update: (part) => void hash.update(part), digest: () => hash.digest() };
}

function createCrc32(step: (bytes: Uint8Array, value: number) => number): Checksum {
  let value = 0;
  return {
    bytes: 4,
    update(bytes) {
      value = step(bytes, value);
    },
    digest() {
      const buffer = Buffer.alloc(4);
      buffer.writeUInt32BE(value >>> 0);
      return buffer;
    },
  };
}

/** Reflected polynomial of CRC-32C (Castagnoli). @see RFC 3720, appendix B.4. */
const castagnoli = 0x82f63b78;
let castagnoliTable: Uint32Array | null = null;

function crc32c(bytes: Uint8Array, value: number): number {
  castagnoliTable ??= makeTable32(castagnoli);
  const table = castagnoliTable;
  let crc = ~value;
  for (let i = 0; i < bytes.length; i++) crc = table[(crc ^ bytes[i]!) & 255]! ^ (crc >>> 8);
  return ~crc;
}

function makeTable32(polynomial: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    return crc;
  });
}

/** Reflected polynomial of CRC-64/NVME, all ones before and after. @see NVM Command Set Specification, 5.2.1.3.4. */
const nvme = 0x9a6c9329ac4bc9b5n;
let nvmeTable: { readonly high: Uint32Array; readonly low: Uint32Array } | null = null;

function createCrc64(): Checksum {
  nvmeTable ??= makeTable64(nvme);
  const table = nvmeTable;
  // Two halves of 32 bits: BigInt would be a hundred times as slow.
  let [high, low] = [-1, -1];
  return {
    bytes: 8,
    update(bytes) {
      for (let i = 0; i < bytes.length; i++) {
        const index = (low ^ bytes[i]!) & 255;
        low = ((low >>> 8) | (high << 24)) ^ table.low[index]!;
        high = (high >>> 8) ^ table.high[index]!;
      }
    },
    digest() {
      const buffer = Buffer.alloc(8);
      buffer.writeUInt32BE(~high >>> 0, 0);
      buffer.writeUInt32BE(~low >>> 0, 4);
      return buffer;
    },
  };
}

function makeTable64(polynomial: bigint): { high: Uint32Array; low: Uint32Array } {
  const entries = Array.from({ length: 256 }, (_, byte) => {
    let crc = BigInt(byte);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ polynomial : crc >> 1n;
    return crc;
  });
  return {
    high: Uint32Array.from(entries, (entry) => Number(entry >> 32n)),
    low: Uint32Array.from(entries, (entry) => Number(entry & 0xffffffffn)),
  };
}
