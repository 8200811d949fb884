/** A bundle of a few kilobytes, with everything a real one has, as small as possible. */

import { createHash, generateKeyPairSync } from 'node:crypto';
import type { MapName } from '../../../src/detectors/result.ts';
import type { BundleCase } from '../../../src/evidence/bundle-format.ts';
import { sealBundle } from '../../../src/evidence/seal.ts';
import { createSigner, type Signer } from '../../../src/evidence/sign.ts';
import { writeBundle } from '../../../src/evidence/write-bundle.ts';
import { verifyBundle } from '../../../src/evidence/verify.ts';
import { defaultLimits } from '../../../src/image/picture.ts';
import { makeExamination } from '../present/examination.ts';
import { textsIn } from '../service/analyses/scripted-sandbox.ts';
import { readEntries } from './repack.ts';

export const signedAt = new Date('2026-03-02T08:00:00.000Z');
const original = Buffer.from('not really a picture');
const size = { width: 64, height: 32 };

export function smallCase(change: Partial<BundleCase> = {}): BundleCase {
  const examination = makeExamination({ ...size, cellPx: 16 });
  const digest = (name: string) => createHash(name).update(original).digest('hex');
  const facts = {
    ...examination.facts,
    sizeBytes: original.length,
    sha256: digest('sha256'),
    sha512: digest('sha512'),
    md5: digest('md5'),
  };
  const texts = textsIn('any language');
  const pdf = Buffer.from(`%PDF-1.7 (SHA-256 ${facts.sha256})`);
  return {
    original,
    openedAs: 'street.jpg',
    examination: { ...examination, facts },
    item: {
      name: 'street.jpg',
      analysisId: null,
      examinedAt: new Date('2026-03-01T12:00:00.500Z'),
      custody: [
        {
          at: new Date('2026-03-01T12:00:00.500Z'),
          actor: 'operator',
          event: 'examined',
          hashes: [{ name: 'original', sha256: facts.sha256 }],
        },
      ],
    },
    heatmapSize: null,
    limits: defaultLimits,
    trustList: null,
    rendering: {
      examination: { ...examination, facts },
      heatmaps: fourPngs(size),
      rawMaps: fourPngs({ width: 4, height: 2 }),
      reports: { en: { texts, pdf }, de: { texts, pdf } },
    },
    ...change,
  };
}

export function newSigner(): Signer {
  return createSigner(generateKeyPairSync('ed25519').privateKey);
}

export function smallBundle(
  how: Partial<Parameters<typeof writeBundle>[1]> = {},
  change: Partial<BundleCase> = {},
) {
  const whole = { withOriginal: true, signer: newSigner(), signedAt, ...how };
  return Buffer.from(writeBundle(smallCase(change), whole).bytes);
}

/** The first 24 bytes of a PNG file, which state its size. */
export function pngOf({ width, height }: { readonly width: number; readonly height: number }) {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const sides = Buffer.alloc(8);
  sides.writeUInt32BE(width);
  sides.writeUInt32BE(height, 4);
  return Buffer.concat([png, sides]);
}

function fourPngs(of: typeof size): Record<MapName, Uint8Array> {
  const png = pngOf(of);
  return { real: png, fake: png, compression: png, anomaly: png };
}

/** Signed again by whoever changed it. */
export async function resealed(entries: Readonly<Record<string, Uint8Array>>): Promise<Uint8Array> {
  const { manifest } = await verifyBundle(smallBundle());
  const { product, examinedAt, item } = manifest!;
  const facts = { product, examinedAt, signedAt: manifest!.signedAt, item };
  const ofTheSeal = ['manifest.json', 'manifest.sig', 'public-key.pem', 'SHA256SUMS'];
  const files = Object.entries(entries)
    .filter(([name]) => !ofTheSeal.includes(name))
    .map(([name, bytes]) => ({ name, bytes }));
  return sealBundle(files, facts, newSigner()).bytes;
}

/** A bundle whose result has additional lists, as JSON. */
export async function bundleWith(lists: readonly string[]): Promise<Uint8Array> {
  const { 'result.json': result, ...entries } = await readEntries(smallBundle());
  const text = `{"a":[${lists.join(',')}],${Buffer.from(result!).toString().slice(1)}`;
  return resealed({ ...entries, 'result.json': Buffer.from(text) });
}

/** A map of so many cells. */
export function manyNumbers(count: number): string {
  return `[${Array.from({ length: count }, (_, at) => (at * 48_271) % 65_536).join(',')}]`;
}
