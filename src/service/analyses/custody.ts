/** The chain of custody that report and bundle show. Those who may change an analysis cannot alter the audit log. */

import { inArray } from 'drizzle-orm';
import {
  type EntryOf,
  type EventDetails,
  type EventName,
  type FileHashes,
  parseEntry,
  readLines,
} from '../audit/entry.ts';
import type { Reader } from '../../ports/db/database.ts';
import { apiKeys, users } from '../../ports/db/schema.ts';
import type { Examination } from '../../detectors/result.ts';
import type { CustodyEvent, ReportItem } from '../../present/report-item.ts';
import { examinationSha256, toRow } from './examination-row.ts';
import type { AnalysisRow, Target } from './rows.ts';

/** Oldest first, with the names of people and keys, if any. Names change, so reports and bundles leave them out. */
export async function readNamedCustody(reader: Reader, target: Target) {
  const steps = byTime(await readSteps(reader, target));
  const ids = [...new Set(steps.flatMap(({ by }) => by.id ?? []))];
  const isKey = inArray(apiKeys.uuid, ids);
  const [people, keys] = await Promise.all([
    reader.select({ id: users.id, name: users.name }).from(users).where(inArray(users.id, ids)),
    reader.select({ id: apiKeys.uuid, name: apiKeys.name }).from(apiKeys).where(isKey),
  ]);
  const names = new Map([...people, ...keys].map(({ id, name }) => [id, name]));
  return steps.map(({ by, ...step }) => ({
    ...step,
    actorName: by.id === null ? null : (names.get(by.id) ?? null),
  }));
}

/** The hashes of original and examination in the audit log, and the latter's time; null for what is older than it. */
export async function readRecorded(reader: Reader, target: Target) {
  const logged = await readSteps(reader, target);
  const last = (event: Step['event']) => logged.findLast((step) => step.event === event);
  const hashes = logged.flatMap((step) => step.hashes);
  return {
    original: last('received')?.hashes[0]?.sha256 ?? null,
    examination: hashes.findLast(({ name }) => name === 'examination')?.sha256 ?? null,
    examinedAt: last('examined')?.at ?? null,
  };
}

/** In the order of the log; empty for an analysis older than it. */
async function readSteps(reader: Reader, { tenantId, analysisId }: Target) {
  const lines = await readLines(reader, { chain: tenantId, subject: analysisId });
  return lines.map(parseEntry).flatMap((entry) => {
    const { type, id } = entry.actor;
    const keyed = type === 'api' ? `api key ${id}` : `${type} ${id}`;
    const common = { at: new Date(entry.at), actor: id === null ? type : keyed, by: entry.actor };
    return stepsOf(entry).map((step) => ({ ...common, ...step }));
  });
}

/** An examination is logged only when its run is completed, so events during the run come before it in the log. */
function byTime<E extends CustodyEvent>(custody: readonly E[]): E[] {
  return custody.toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

/**
 * The custody history that a report prints. The report of a run is rendered before the run is
 * completed and logged, so the examination step is added here in the form in which it will be
 * logged. Nothing is added when the log does not cover the start of the analysis.
 */
export async function readHistory(
  reader: Reader,
  row: AnalysisRow,
  run: { readonly examination: Examination; readonly examinedAt: Date },
): Promise<Required<Pick<ReportItem, 'custody' | 'retries'>>> {
  const found = await readSteps(reader, { tenantId: row.tenantId, analysisId: row.id });
  const logged: CustodyEvent[] = found.map(({ by: _by, ...step }) => step);
  const has = (event: CustodyEvent['event']) => logged.some((step) => step.event === event);
  const isOpen = has('received') && !has('examined');
  if (isOpen) {
    const hash = examinationSha256(toRow(row.id, { ...run, rendered: null }));
    const hashes = examinedHashes(run.examination.facts.sha256, hash);
    logged.push({ at: run.examinedAt, actor: 'service', event: 'examined', hashes });
  }
  return {
    custody: byTime(logged),
    retries: Math.max(row.retryCount, logged.filter(({ event }) => event === 'retried').length),
  };
}

type Step = Pick<CustodyEvent, 'event' | 'hashes'> & Partial<Pick<CustodyEvent, 'at'>>;

/** An event in which no bytes moved and nothing ended is not a custody step. */
const steps: { readonly [E in EventName]?: (details: EventDetails[E]) => readonly Step[] } = {
  'analysis.created': () => [{ event: 'created', hashes: [] }],
  'analysis.received': ({ sha256 }) => [{ event: 'received', hashes: [original(sha256)] }],
  'analysis.upload_replaced': ({ sha256 }) => [
    { event: 'replaced_upload_noticed', hashes: sha256 === null ? [] : named({ upload: sha256 }) },
  ],
  'analysis.completed': ({ originalSha256, examinedAt, outputs, ...details }) => [
    {
      event: 'examined',
      hashes: examinedHashes(originalSha256, details.examinationSha256),
      at: new Date(examinedAt),
    },
    ...(outputs === null ? [] : [{ event: 'rendered' as const, hashes: named(outputs) }]),
  ],
  'analysis.failed': () => [{ event: 'failed', hashes: [] }],
  'analysis.retried': () => [{ event: 'retried', hashes: [] }],
  'analysis.restarted': () => [{ event: 'retried', hashes: [] }],
  'analysis.upgraded': ({ outputs, examinationSha256: examination }) => [
    { event: 'upgraded', hashes: named({ ...outputs, ...(examination && { examination }) }) },
  ],
  'analysis.bundled': ({ manifestSha256 }) => [
    { event: 'bundled', hashes: named({ manifest: manifestSha256 }) },
  ],
  'analysis.deleted': () => [{ event: 'deleted', hashes: [] }],
};

function stepsOf<E extends EventName>({ event, details }: EntryOf<E>): readonly Step[] {
  return steps[event]?.(details) ?? [];
}

const original = (sha256: string) => ({ name: 'original', sha256 });

function examinedHashes(originalSha256: string, examination: string): CustodyEvent['hashes'] {
  return [original(originalSha256), ...named({ examination })];
}

function named(hashes: FileHashes): CustodyEvent['hashes'] {
  return Object.entries(hashes).map(([name, sha256]) => ({ name, sha256 }));
}
