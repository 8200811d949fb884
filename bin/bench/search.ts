/**
 * How long a search for pictures seen before takes among many. The index is filled by SQL: keys spread over their whole range, and
 * those of drawn scenes, each in as many pictures as a key may lead to, so that searches meet full lists and candidates to compare.
 */

import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { decodePicture } from '../../src/image/decode.ts';
import { type Fingerprint, findFingerprint, packFingerprint } from '../../src/image/keypoints.ts';
import { transact } from '../../src/ports/db/database.ts';
import { analyses } from '../../src/ports/db/schema.ts';
import { openDatabase } from '../../src/ports/db/sqlite.ts';
import { addFingerprint, findSeenBefore } from '../../src/service/analyses/seen-before.ts';
import { createTenants } from '../../src/service/tenants/tenants.ts';
import { createRandom } from '../../test/fixtures/noise.ts';
import { scenePng } from '../../test/fixtures/pictures.ts';
import { median, processorMs, type Row, timed } from './figures.ts';
import { analysisOf } from './forensic-tenant.ts';

const scenes = 40;
const keysPerPicture = 200;
/** Pictures of nothing but details of the scenes, and how many of them each key leads to beside. */
const crowd = 1000;
const morePerKey = 150;
const bytesPerKey = 20;
const goalMs = 50;

export async function benchSearch(pictures: number): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-search-'));
  try {
    requireRoom(folder, pictures * keysPerPicture * bytesPerKey);
    const database = openDatabase({ path: join(folder, 'search.db') });
    const { db } = database;
    const { id: tenantId } = await createTenants({ db, now: () => new Date() }).create({
      name: 'search',
    });
    const index = { db, tenantId };
    const originals = await addScenes(index);
    spreadKeys(index, pictures);
    await addCrowd(index, originals);
    fillLists(index);
    const rows = await measure(index, pictures);
    await database.close();
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Index {
  readonly db: ReturnType<typeof openDatabase>['db'];
  readonly tenantId: string;
}

function requireRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize > 1.2 * bytes) return;
  throw new RangeError(`--rows needs ${Math.ceil((1.2 * bytes) / 1e9)} GB in ${tmpdir()}.`);
}

async function addScenes(index: Index): Promise<readonly Fingerprint[]> {
  const originals: Fingerprint[] = [];
  for (let seed = 1; seed <= scenes; seed++) {
    const original = await fingerprintOf(await scenePng({ ...size, seed }));
    originals.push(original);
    await add(index, original);
  }
  return originals;
}

const size = { width: 800, height: 600 };

async function fingerprintOf(bytes: Buffer): Promise<Fingerprint> {
  return findFingerprint(await decodePicture(bytes));
}

async function add({ db, tenantId }: Index, fingerprint: Fingerprint): Promise<string> {
  const row = analysisOf(tenantId, new Date());
  const packed = packFingerprint(fingerprint);
  await transact(db, async (tx) => {
    await tx
      .insert(analyses)
      .values({ ...row, storageType: 's3' })
      .run();
    await addFingerprint(tx, { tenantId, analysisId: row.id }, { packed, facts: [] });
  });
  return row.id;
}

/** Over all keys that the tenant may have, in the order of the index: anything else would take hours. */
function spreadKeys({ db: { $client } }: Index, pictures: number): void {
  const rows = pictures * keysPerPicture;
  const first = $client.prepare('SELECT min(key) AS key FROM fingerprint_keys').get();
  const base = Math.floor(Number(Object(first).key) / 2 ** 32) * 2 ** 32;
  const step = 2 ** 32 / rows;
  const insert =
    $client.prepare(`WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    INSERT OR IGNORE INTO fingerprint_keys
    SELECT ${base} + CAST(i * ${step} AS INTEGER), abs(random() % ${pictures}) + 1000000 FROM n`);
  const atOnce = 1_000_000;
  $client.pragma('synchronous = OFF');
  for (let from = 0; from < rows; from += atOnce) {
    insert.run(from, Math.min(rows, from + atOnce) - 1);
  }
  $client.pragma('wal_checkpoint(TRUNCATE)');
}

async function addCrowd(index: Index, originals: readonly Fingerprint[]): Promise<void> {
  const random = createRandom(1);
  const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)]!;
  for (let n = 0; n < crowd; n++) {
    const keypoints = Array.from({ length: keysPerPicture }, () => {
      return { ...pick(pick(originals).keypoints), x: random(), y: 0.75 * random() };
    });
    await add(index, { ...size, keypoints });
  }
}

function fillLists({ db: { $client } }: Index): void {
  $client.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${morePerKey})
    INSERT OR IGNORE INTO fingerprint_keys
    SELECT key, abs(random() % ${crowd}) + ${scenes} + 1
    FROM (SELECT DISTINCT key FROM fingerprint_keys WHERE fingerprint <= ${scenes}), n`);
}

async function measure(index: Index, pictures: number): Promise<readonly Row[]> {
  const { db, tenantId } = index;
  const part = { left: 80, top: 60, width: 640, height: 480 };
  const searches: number[] = [];
  let found = 0;
  for (let seed = 1; seed <= scenes; seed++) {
    const copy = sharp(await scenePng({ ...size, seed }))
      .extract(part)
      .jpeg({ quality: 60 });
    const analysisId = await add(index, await fingerprintOf(await copy.toBuffer()));
    let count = 0;
    const search = async () => {
      count = (await findSeenBefore(db, { tenantId, analysisId })).length;
    };
    searches.push(await timed(search, processorMs));
    if (count > 0) found++;
  }
  const sorted = searches.toSorted((one, other) => one - other);
  return [
    { what: 'pictures in the index', value: pictures, unit: '' },
    {
      what: 'a search, processor time, median',
      value: median(searches),
      unit: 'ms',
      atMost: goalMs,
    },
    {
      what: 'a search, processor time, 95 %',
      value: sorted[Math.floor(0.95 * scenes)]!,
      unit: 'ms',
    },
    { what: 'copies found', value: (100 * found) / scenes, unit: '%' },
  ];
}
