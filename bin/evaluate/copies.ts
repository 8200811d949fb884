/**
 * How many copies of a picture are recognised among how many others, and how long a search takes.
 * `npm run evaluate -- --copies LIST [--limit N] [--crowd N]`: a file with one picture path per line. `--limit` of them (200) are
 * copied; the crowd (100,000) are pictures made of keypoints of all of them, in random places.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { decodePicture } from '../../src/image/decode.ts';
import {
  type Fingerprint,
  findFingerprint,
  type Keypoint,
  packFingerprint,
} from '../../src/image/keypoints.ts';
import { localLimits } from '../../src/image/picture.ts';
import { type Db, transact, type Tx } from '../../src/ports/db/database.ts';
import { openDatabase } from '../../src/ports/db/sqlite.ts';
import {
  addFingerprint,
  deleteFingerprint,
  findSeenBefore,
} from '../../src/service/analyses/seen-before.ts';
import { analyses } from '../../src/ports/db/schema.ts';
import { createRandom } from '../../test/fixtures/noise.ts';
import { analysisOf } from '../bench/forensic-tenant.ts';
import { createTenants } from '../../src/service/tenants/tenants.ts';

/** Too few keypoints to be recognised: icons and empty skies. Counted separately. */
const plainBelow = 20;

/** Pictures that are stored in one transaction. */
const batch = 500;

export async function measureCopies(list: string, limit: number, crowd: number): Promise<void> {
  const files = readFileSync(list, 'utf8').split('\n').filter(Boolean).slice(0, limit);
  const folder = mkdtempSync(join(tmpdir(), 'forensics-copies-'));
  const database = openDatabase({ path: join(folder, 'copies.db') });
  const { db } = database;
  const { id: tenantId } = await createTenants({ db, now: () => new Date() }).create({
    name: 'copies',
  });
  await measureIn({ db, tenantId }, files, crowd);
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}

interface Index {
  readonly db: Db;
  readonly tenantId: string;
}

interface Original {
  readonly id: string;
  readonly png: Buffer;
  readonly fingerprint: Fingerprint;
}

async function measureIn(
  { db, tenantId }: Index,
  files: readonly string[],
  crowd: number,
): Promise<void> {
  const random = createRandom(1);
  const originals = await readOriginals(files);
  const stored = originals.map(({ fingerprint }) => fingerprint);
  for (let from = 0; from < crowd; from += batch) {
    await transact(db, async (tx) => {
      for (let n = from; n < Math.min(crowd, from + batch); n++) {
        await add(tx, tenantId, `other ${n}`, mixed(stored, random));
      }
    });
  }
  await transact(db, async (tx) => {
    for (const { id, fingerprint } of originals) await add(tx, tenantId, id, fingerprint);
  });
  const searches: { readonly ms: number; readonly isWrong: boolean }[] = [];
  for (const [name, change] of Object.entries(changes)) {
    let found = 0;
    for (const { id, png } of originals) {
      const copy = { tenantId, analysisId: `${name} of ${id}` };
      const fingerprint = await fingerprintOf(await change(png, random));
      await transact(db, (tx) => add(tx, tenantId, copy.analysisId, fingerprint));
      const began = performance.now();
      const seen = await findSeenBefore(db, copy);
      const ms = performance.now() - began;
      const others = seen.filter((one) => one.id !== id);
      searches.push({ ms, isWrong: others.length > 0 });
      for (const other of others) console.log(`${copy.analysisId} named ${other.id}`);
      if (seen.length > others.length) found++;
      await transact(db, (tx) => deleteFingerprint(tx, copy));
    }
    console.log(`${name}: ${((100 * found) / originals.length).toFixed(1)}% found`);
  }
  const times = searches.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const quantile = (share: number) => times[Math.floor(share * times.length)]!.toFixed(0);
  console.log(`a search takes ${quantile(0.5)} ms, ${quantile(0.95)} ms at 95%`);
  const wrong = searches.filter(({ isWrong }) => isWrong).length;
  console.log(`${wrong} of ${searches.length} searches returned a different picture`);
}

async function readOriginals(files: readonly string[]): Promise<readonly Original[]> {
  const originals: Original[] = [];
  let plain = 0;
  for (const file of files) {
    const png = await readFile(file)
      .then(toPng)
      .catch(() => null);
    if (png === null) {
      console.log(`${file} is not a readable picture`);
      continue;
    }
    const fingerprint = await fingerprintOf(png);
    if (fingerprint.keypoints.length < plainBelow) plain++;
    else originals.push({ id: file, png, fingerprint });
  }
  console.log(`${originals.length} pictures; ${plain} others are too plain to be recognised`);
  return originals;
}

async function fingerprintOf(bytes: Buffer): Promise<Fingerprint> {
  return findFingerprint(await decodePicture(bytes, { limits: localLimits }));
}

async function add(tx: Tx, tenantId: string, id: string, fingerprint: Fingerprint): Promise<void> {
  await tx
    .insert(analyses)
    .values({ ...analysisOf(tenantId, new Date()), id, storageType: 's3' })
    .run();
  await addFingerprint(
    tx,
    { tenantId, analysisId: id },
    {
      packed: packFingerprint(fingerprint),
      facts: [],
    },
  );
}

async function toPng(bytes: Buffer): Promise<Buffer> {
  const upright = sharp(bytes).rotate().flatten({ background: '#fff' }).toColourspace('srgb');
  return upright.resize(1600, 1600, { fit: 'inside', withoutEnlargement: true }).png().toBuffer();
}

type Random = () => number;
type Change = (png: Buffer, random: Random) => Promise<Buffer>;

const changes: Readonly<Record<string, Change>> = {
  'JPEG 60': async (png) => sharp(png).jpeg({ quality: 60 }).toBuffer(),
  'cropped to 70% of the area': crop(Math.sqrt(0.7)),
  'cropped to 70% of each side': crop(0.7),
  mirrored: async (png) => sharp(png).flop().jpeg().toBuffer(),
  'written on': async (png) => {
    const { width, height } = await sharp(png).metadata();
    const band = { width, height: Math.ceil(height / 5), channels: 3, background: '#222' } as const;
    const note = { input: { create: band }, left: 0, top: Math.floor((height * 7) / 10) };
    return sharp(png).composite([note]).jpeg().toBuffer();
  },
  screenshot: async (png) => {
    const inner = await sharp(png).resize(1080, 1900, { fit: 'inside' }).png().toBuffer();
    const { width, height } = await sharp(inner).metadata();
    const screen = { width: 1080, height: 2340, channels: 3, background: '#e5ddd5' } as const;
    const bar = { width: 1080, height: 180, channels: 3, background: '#fff' } as const;
    const shown = { left: (1080 - width) >> 1, top: 200 + ((1940 - height) >> 1) };
    const shot = sharp({ create: screen })
      .composite([
        { input: inner, ...shown },
        { input: { create: bar }, left: 0, top: 0 },
      ])
      .png();
    return sharp(await shot.toBuffer())
      .resize(720)
      .jpeg({ quality: 85 })
      .toBuffer();
  },
};

function crop(share: number): Change {
  return async (png, random) => {
    const { width: wide, height: high } = await sharp(png).metadata();
    const [width, height] = [Math.round(share * wide), Math.round(share * high)];
    const left = Math.floor(random() * (wide - width));
    const top = Math.floor(random() * (high - height));
    return sharp(png).extract({ left, top, width, height }).jpeg().toBuffer();
  };
}

/** Bits in which keypoints of the crowd differ from the real keypoints they are made from. */
const changedBits = 5;

/**
 * Each picture of the crowd has as many keypoints as a real picture; each keypoint resembles one of
 * any real picture, at any position.
 */
function mixed(stored: readonly Fingerprint[], random: Random): Fingerprint {
  const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)]!;
  const { width, height, keypoints } = pick(stored);
  const longer = Math.max(width, height);
  const anywhere = (): Keypoint => {
    const like = pick(pick(stored).keypoints);
    let { key } = like;
    for (let n = 0; n < changedBits; n++) key ^= 1 << Math.floor(32 * random());
    const place = { x: (random() * width) / longer, y: (random() * height) / longer };
    return { ...like, ...place, key: key >>> 0 };
  };
  return { width, height, keypoints: keypoints.map(anywhere) };
}
