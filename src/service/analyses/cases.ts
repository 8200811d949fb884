/** All the pictures in a case together: one report on them, and one signed archive with a complete bundle for each. */

import type { Audit } from '../audit/log.ts';
import type { Actor } from '../audit/entry.ts';
import {
  type Language,
  languages,
  type ResultClass,
  resultClasses,
} from '../../contract/vocabulary.ts';
import { conflict, ForensicsError } from '../../contract/errors.ts';
import { canonicalBytes, fileNames, sha256Of } from '../../evidence/bundle-format.ts';
import type { CaseRecord } from '../../evidence/records.ts';
import type { Signer } from '../../evidence/sign.ts';
import { openCaseBundle } from '../../evidence/seal.ts';
import { writeBundle } from '../../evidence/write-bundle.ts';
import type { Sandbox } from '../../examiner/sandbox.ts';
import { type CasePicture, inCaseOrder } from '../../present/cases.ts';
import { readAnswer, readResult } from '../../present/result.ts';
import { packageVersion } from '../../version.ts';
import {
  type BundleInputParts,
  openRecorded,
  renderRecorded,
  type ReportExtras,
  requireUnbrokenLog,
} from './render.ts';
import type { Context } from './context.ts';
import { loadExamined } from './examination-row.ts';
import { findEntries, findThumbnails, type ShownRow } from './rows.ts';
import { countOfOneCamera, findSeenBefore, sentBefore } from './seen-before.ts';
import { maxCasePictures } from '../../contract/verification.ts';

export interface CaseParts extends BundleInputParts {
  readonly sandbox: Pick<Sandbox, 'render' | 'layBeside' | 'preparePage' | 'renderCase'>;
}

export interface CaseTarget {
  readonly tenantId: string;
  readonly projectId: string;
}

interface CaseHow {
  readonly extras: ReportExtras;
  /** Wraps everything that keeps a whole picture in memory. */
  readonly inTurn: <T>(act: () => Promise<T>) => Promise<T>;
}

/** As PDF. @throws {ForensicsError} `analysis_not_found` if empty, `conflict` above 1,000; as `openBundleInput`. */
export async function renderCase(
  parts: CaseParts,
  which: CaseTarget,
  { language, ...how }: CaseHow & { readonly madeAt: Date; readonly language: Language },
): Promise<Uint8Array> {
  const languageHow = { ...how, languages: [language] };
  const pictures: CasePicture[] = [];
  for (const member of await openCase(parts, which)) {
    const { picture } = await how.inTurn(() => readPicture(parts, member, languageHow));
    pictures.push(picture);
  }
  const reports = await render(parts, which, { ...languageHow, pictures, listSha256: null });
  const pdf = reports[language];
  if (pdf === undefined) throw new TypeError('The sandbox did not render the requested language.');
  return pdf;
}

export interface BundleCaseHow extends CaseHow {
  readonly withOriginal: boolean;
  readonly signer: Signer;
  readonly signedAt: Date;
  readonly actor: Actor;
  readonly audit: Audit;
}

/**
 * Yields the archive in chunks, so that memory holds only one picture at a time, and the report pages of those before
 * it. Each bundle is logged. The case archive is logged before its last chunks are sent; without them it is incomplete.
 *
 * @throws {ForensicsError} as `renderCase`; `conflict` above 4 GB.
 */
export async function* writeCase(
  parts: CaseParts,
  which: CaseTarget,
  how: BundleCaseHow,
): AsyncGenerator<Uint8Array> {
  const { signer, signedAt, audit, actor } = how;
  const archive = openCaseBundle({ signer, signedAt, product: `forensics ${packageVersion()}` });
  const pictures: CasePicture[] = [];
  const listed: CaseRecord['pictures'][number][] = [];
  let examinedAt: Date | null = null;
  for (const member of await openCase(parts, which)) {
    const { picture, made } = await how.inTurn(() => bundlePicture(parts, member, how));
    pictures.push(picture);
    const { analysisId, name, status } = picture;
    const { verdict } = member;
    const file = made && fileNames.pictureBundle(pictures.length);
    const { sha256 = null, manifestSha256 = null } = made ?? {};
    listed.push({ analysisId, name, status, verdict, file, sha256, manifestSha256 });
    if (made === null || file === null) continue;
    const note = { event: 'analysis.bundled', subject: analysisId } as const;
    const details = { manifestSha256: made.manifestSha256 };
    await audit.note({ chain: which.tenantId, actor, ...note, details });
    if (examinedAt === null || made.examinedAt > examinedAt) examinedAt = made.examinedAt;
    yield* archive.add({ name: file, bytes: made.bytes });
  }
  const record: CaseRecord = { case: which.projectId, pictures: listed };
  const listSha256 = sha256Of(canonicalBytes(record));
  const shown = { languages, madeAt: signedAt, pictures, listSha256 };
  const reports = await render(parts, which, { ...how, ...shown });
  const sealed = archive.seal({ record, reports, examinedAt: examinedAt ?? signedAt });
  const note = { chain: which.tenantId, actor, event: 'case.bundled', subject: null } as const;
  const { manifestSha256 } = sealed;
  await audit.note({ ...note, details: { manifestSha256, pictures: listed.length } });
  yield* sealed.pieces;
}

interface Member {
  readonly analysis: ShownRow;
  readonly verdict: ResultClass | null;
  readonly isForensic: boolean;
  /** Without its page, which takes the whole picture and is added one by one. */
  readonly picture: CasePicture;
}

async function openCase({ db }: Pick<Context, 'db'>, { tenantId, projectId }: CaseTarget) {
  const page = { searchTerm: '', projectId, start: 0, limit: maxCasePictures };
  const { entries, total } = await findEntries(db, tenantId, page);
  if (total === 0) {
    const message = 'The case has no pictures; check the name of the case and the tenant.';
    throw new ForensicsError('analysis_not_found', message);
  }
  if (total > maxCasePictures) {
    throw conflict(
      `The case has ${total} pictures, but a report can cover only ${maxCasePictures}; split the case.`,
    );
  }
  await requireUnbrokenLog(db, { tenantId });
  const ids = entries.map(({ analysis }) => analysis.id);
  const found = await findThumbnails(db, tenantId, ids);
  const thumbnails = new Map(found.map(({ id, jpeg }) => [id, Buffer.from(jpeg, 'base64')]));
  const members: Member[] = [];
  for (const { analysis, result } of entries) {
    const { id: analysisId, status, tier, filename: name } = analysis;
    const { statusMessage: message, failure: reason, evidenceSha256 } = analysis;
    const isCompleted = status === 'completed';
    const isForensic = isCompleted && tier === 'forensicReporting';
    const verdict = isCompleted && result ? (resultClasses[result.resultClass] ?? null) : null;
    const answer = isForensic
      ? readResult(await loadExamined(db, analysisId))
      : verdict && readAnswer(verdict, null, [], result?.resultSubClasses ?? []);
    const picture: CasePicture = {
      analysisId,
      name,
      status,
      isStarted: status !== 'pending' || evidenceSha256 !== null,
      projectId: analysis.projectId,
      result,
      answer,
      failure: status === 'failed' ? { message, reason } : null,
      seenBefore: isCompleted
        ? sentBefore(await findSeenBefore(db, { tenantId, analysisId }), analysis.createdAt)
        : [],
      thumbnail: thumbnails.get(analysisId) ?? null,
      page: null,
    };
    members.push({ analysis, verdict, isForensic, picture });
  }
  return inCaseOrder(members, ({ picture }) => picture);
}

async function readPicture(
  parts: CaseParts,
  { analysis, isForensic, picture }: Member,
  { extras, languages: wanted }: Pick<RenderHow, 'extras' | 'languages'>,
) {
  if (!isForensic) return { picture, recorded: null };
  const target = { tenantId: analysis.tenantId, analysisId: analysis.id };
  const recorded = await openRecorded(parts, target, extras);
  const { original, examination, item } = recorded;
  const source = { bytes: original };
  const page = await parts.sandbox.preparePage({ source, examination, item, languages: wanted });
  return { picture: { ...picture, page }, recorded };
}

async function bundlePicture(parts: CaseParts, member: Member, how: BundleCaseHow) {
  const { picture, recorded } = await readPicture(parts, member, { ...how, languages });
  if (recorded === null) return { picture, made: null };
  const { sha256 } = recorded.examination.facts;
  const { examinedAt } = recorded.item;
  const bundle = writeBundle(await renderRecorded(parts, recorded), how);
  return { picture, made: { ...bundle, sha256, examinedAt } };
}

interface RenderHow extends Pick<CaseHow, 'extras'> {
  readonly languages: readonly Language[];
  readonly madeAt: Date;
  readonly pictures: readonly CasePicture[];
  readonly listSha256: string | null;
}

async function render(
  { db, sandbox }: CaseParts,
  which: CaseTarget,
  { languages: wanted, extras, madeAt, pictures, listSha256 }: RenderHow,
) {
  const report = {
    name: which.projectId,
    pictures,
    ofOneCamera: await countOfOneCamera(db, which),
    madeAt,
    listSha256,
    caseData: extras.caseData ?? {},
  };
  return sandbox.renderCase({ report, languages: wanted });
}
