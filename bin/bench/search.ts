/**
 * How long a search for earlier copies takes among many pictures of one tenant, on SQLite and on
 * PostgreSQL. All have complete rows: analysis, fingerprint and 200 keys. Most are copies of one
 * row, with keys spread over their whole range. Each drawn scene occurs in the maximum number of
 * pictures that a key may list, so that searches compare as many candidates as they ever can.
 */

import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTableColumns, sql } from 'drizzle-orm';
import sharp from 'sharp';
import { decodePicture } from '../../src/image/decode.ts';
import { type Fingerprint, findFingerprint, packFingerprint } from '../../src/image/keypoints.ts';
import { type Db, type OpenDatabase, transact } from '../../src/ports/db/database.ts';
import { openPostgres } from '../../src/ports/db/postgres.ts';
import { analyses, fingerprintKeys } from '../../src/ports/db/schema.ts';
import { openDatabase } from '../../src/ports/db/sqlite.ts';
import { addFingerprint, findSeenBefore } from '../../src/service/analyses/seen-before.ts';
import { createTenants } from '../../src/service/tenants/tenants.ts';
import { createRandom } from '../../test/fixtures/noise.ts';
import { scenePng } from '../../test/fixtures/pictures.ts';
import { startPostgres } from '../../test/fixtures/postgres.ts';
import { median, processorMs, type Row, timed } from './figures.ts';
import { analysisOf } from './forensic-tenant.ts';

const scenes = 40;
const keysPerPicture = 200;
/**
 * Pictures that consist only of details of the scenes, and how many more of them each key leads to.
 */
const crowd = 1000;
const morePerKey = 150;
/** Number of the first picture that is a copied row; all others have lower numbers. */
const firstCopy = 1_000_000;
const rowsAtOnce = 250_000;
/** On PostgreSQL; SQLite needs half as much. */
const bytesPerPicture = 21_000;
const goalMs = 50;

export async function benchSearch(pictures: number): Promise<readonly Row[]> {
  requireRoom(pictures * bytesPerPicture);
  return [...(await benchFile(pictures)), ...(await benchPostgres(pictures))];
}

async function benchFile(pictures: number): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-search-'));
  try {
    const database = openDatabase({ path: join(folder, 'search.db') });
    database.db.$client.pragma('synchronous = OFF');
    return await fillAndMeasure('SQLite', database, pictures, processorMs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchPostgres(pictures: number): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-search-'));
  const settings = ['fsync=off', 'wal_level=minimal', 'max_wal_senders=0', 'shared_buffers=1GB'];
  const postgres = await startPostgres(settings, folder);
  try {
    const url = await postgres.createDatabase();
    const database = await openPostgres({ url, passwordFile: null });
    const [server] = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n');
    const clock = () => processorMs() + familyMs(server!);
    return await fillAndMeasure('PostgreSQL', database, pictures, clock);
  } finally {
    await postgres.stop();
  }
}

/** CPU time of a process and its children, including those that have ended, in steps of 10 ms. */
function familyMs(pid: string): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return [pid, ...children].reduce((sum, one) => {
    const fields = readFileSync(`/proc/${one}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return sum + 10 * fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0);
  }, 0);
}

async function fillAndMeasure(
  engine: string,
  database: OpenDatabase,
  pictures: number,
  clock: () => number,
): Promise<readonly Row[]> {
  const { db } = database;
  const tenants = createTenants({ db, now: () => new Date() });
  const { id: tenantId } = await tenants.create({ name: 'search' });
  const index = { db, tenantId };
  await addCrowd(index, await addScenes(index));
  await fillLists(db);
  await addCopies(db, pictures);
  const rows = await measure(engine, index, pictures, clock);
  await database.close();
  return rows;
}

interface Index {
  readonly db: Db;
  readonly tenantId: string;
}

function requireRoom(bytes: number): void {
  const { bavail, bsize } = statfsSync(tmpdir());
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

async function fillLists(db: Db): Promise<void> {
  await runAll(db, [
    `INSERT INTO fingerprint_keys SELECT key, (key + 7 * i) % ${crowd} + ${scenes} + 1
     FROM (SELECT DISTINCT key FROM fingerprint_keys WHERE fingerprint <= ${scenes}) AS keys,
       (${numbers(0, morePerKey)}) AS n WHERE true ON CONFLICT DO NOTHING`,
  ]);
}

async function addCopies(db: Db, pictures: number): Promise<void> {
  const names = Object.values(getTableColumns(analyses)).map(({ name }) => name);
  const columns = names.filter((name) => name !== 'id').join(', ');
  for (const part of parts(pictures)) {
    await runAll(db, [
      `INSERT INTO analyses (id, ${columns}) SELECT 'copy ' || i, ${columns}
       FROM (${part}) AS n, (SELECT ${columns} FROM analyses LIMIT 1) AS one`,
      `INSERT INTO fingerprints (id, analysis_id, packed, facts)
       SELECT i + ${firstCopy}, 'copy ' || i, packed, '[]'
       FROM (${part}) AS n, (SELECT packed FROM fingerprints LIMIT 1) AS one`,
    ]);
  }
  const { key } = (await db.select({ key: fingerprintKeys.key }).from(fingerprintKeys).get())!;
  const rows = pictures * keysPerPicture;
  // In index order: any other order would take hours.
  for (const part of parts(rows)) {
    await runAll(db, [
      `INSERT INTO fingerprint_keys
       SELECT ${key - (key % 2 ** 32)} + i * ${2 ** 32} / ${rows}, i * 7919 % ${pictures} + ${firstCopy}
       FROM (${part}) AS n WHERE true ON CONFLICT DO NOTHING`,
    ]);
  }
  if (db.engine === 'postgres') await db.run(sql.raw('VACUUM ANALYZE'));
}

/** Without parameters: SQLite would take their numbers for fractions. */
async function runAll(db: Db, statements: readonly string[]): Promise<void> {
  await transact(db, async (tx) => {
    for (const statement of statements) await tx.run(sql.raw(statement));
  });
}

function parts(rows: number): readonly string[] {
  return Array.from({ length: Math.ceil(rows / rowsAtOnce) }, (_, n) =>
    numbers(n * rowsAtOnce, Math.min(rows, (n + 1) * rowsAtOnce)),
  );
}

function numbers(from: number, to: number): string {
  return `WITH RECURSIVE n(i) AS
    (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${to - 1}) SELECT i FROM n`;
}

/** All copies are searched this many times, because PostgreSQL's CPU time is known in steps of 10 ms. */
const rounds = 20;

async function measure(
  engine: string,
  { db, tenantId }: Index,
  pictures: number,
  clock: () => number,
): Promise<readonly Row[]> {
  const part = { left: 80, top: 60, width: 640, height: 480 };
  const searches: { readonly analysisId: string; readonly times: number[] }[] = [];
  let found = 0;
  for (let seed = 1; seed <= scenes; seed++) {
    const copy = sharp(await scenePng({ ...size, seed }))
      .extract(part)
      .jpeg({ quality: 60 });
    const analysisId = await add({ db, tenantId }, await fingerprintOf(await copy.toBuffer()));
    if ((await findSeenBefore(db, { tenantId, analysisId })).length > 0) found++;
    searches.push({ analysisId, times: [] });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { analysisId, times } of searches) {
      times.push(await timed(() => findSeenBefore(db, { tenantId, analysisId }), clock));
    }
  }
  const means = searches
    .map(({ times }) => times.reduce((sum, ms) => sum + ms, 0) / rounds)
    .toSorted((one, other) => one - other);
  const time = `${engine}: a search, processor time`;
  return [
    { what: `${engine}: pictures with 200 keys each`, value: pictures, unit: '' },
    { what: `${time}, median`, value: median(means), unit: 'ms', atMost: goalMs },
    {
      what: `${time}, 95%`,
      value: means[Math.floor(0.95 * scenes)]!,
      unit: 'ms',
      atMost: goalMs,
    },
    { what: `${engine}: copies found`, value: (100 * found) / scenes, unit: '%' },
  ];
}
