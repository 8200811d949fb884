/** The first page: question, answer, places and reasons, contrary evidence, reliability, who did what, which file. */

import { createHash } from 'node:crypto';
import { pictureSize, traceNetwork } from '../../detectors/network-findings.ts';
import { copyMove } from '../../detectors/copy-move/copy-move.ts';
import { areaOf } from '../../detectors/regions.ts';
import { type Examination, modelName, type Place } from '../../detectors/result.ts';
import { writeNeededRatios } from '../evidence.ts';
import {
  altersContent,
  signerTrust,
  type WordedFinding,
  writeBriefly,
  writeDeclaredEdits,
  writeNotes,
  writeSeenBefore,
} from '../findings.ts';
import { leadsToAbstain } from '../report-texts.ts';
import { mainGround, writeBecause, writeGroundInFull, writeReliance } from '../presentation.ts';
import { capitalised, kept, printable, withDetails } from '../text.ts';
import {
  headsSuspicion,
  isAboutPart as isOfPart,
  isInDamage,
  isNeverCalled,
  isSuspicion,
  markedPlaces,
  showsPlaces,
} from '../result.ts';
import { type Block, foreignRow, type Row, row, type SectionInput } from './blocks.ts';
import { isShown, localisingMethods, toldInProvenance } from './findings.ts';
import { writeOutsideSizes } from './validation.ts';
import { maxNoteLength } from '../../contract/limits.ts';
import { formatNames, type Language } from '../../contract/vocabulary.ts';
import { type ReportItem, writeActor } from '../report-item.ts';
import { wordsIn } from '../wording/catalogue.ts';

export function headBlocks(input: SectionInput): readonly Block[] {
  const { catalogue, labels, presentation, result } = input;
  const { head, question } = catalogue.document;
  const places = placesOfAnswer(input).map(({ region }) => region);
  const damage = damageOf(input);
  const isOpen = result.outcome === 'uncertain' || result.outcome === 'abstain';
  const caps = isSuspicion(result) ? ` ${head.damageCaps}` : '';
  const beside = [
    {
      title: head.rows.damage,
      items: kept([damage && `${head.damage(capitalised(damage))}${caps}`]),
    },
    { title: head.rows.marked, items: markedBy(input) },
    ...(isOpen ? weighedOf : reasonsOf)(input),
  ];
  return [
    {
      kind: 'verdict',
      question: question.short,
      headline: presentation.headline,
      // The places are listed beside the picture.
      text: kept([
        printable(writeGroundInFull(result, input.language)),
        hasDamagedPlace(input) && !result.isOfDamage && catalogue.outcome.because.damaged,
      ]).join(' '),
      places,
      caption:
        places.length > 0 ? head.outlined : isUnread(input) ? head.submitted : labels.original,
      beside: beside.filter(({ items }) => items.length > 0),
    },
    { kind: 'table', rows: answerRows(input), isTight: true },
    { kind: 'table', rows: identityRows(input), isTight: true },
  ];
}

type Beside = Extract<Block, { kind: 'verdict' }>['beside'];

/** Whether nothing about the picture itself could be judged. */
function isUnread({ evidence: { weighed = [] } }: SectionInput): boolean {
  return weighed.length === 0;
}

/** Places are shown only if the answer is about a change. */
function placesOfAnswer({ examination, result }: SectionInput): readonly Place[] {
  return showsPlaces(result) ? markedPlaces(examination) : [];
}

/** A note on missing rows, which can look like a change; null if none are missing. */
function damageOf({ examination: { facts }, language }: SectionInput): string | null {
  if (facts.soundShare === undefined) return null;
  return writeNotes({ ...facts, notes: ['rows_missing'] }, language).join('');
}

/** Every numbered place; the reasons say which method marks it, and the annex has the coordinates. */
function markedBy(input: SectionInput): readonly string[] {
  const { examination, catalogue } = input;
  const { document, findings, outcome } = catalogue;
  const places = placesOfAnswer(input);
  const copies = places.filter(({ methods }) => methods.includes(copyMove.method));
  const isSure = places.some(({ methods }) => methods.length > 0);
  return places.map((one, at) => {
    const { region, methods } = one;
    const { place, share } = areaOf(region, examination.facts);
    const where = outcome.where(findings.places[place], findings.writeShare(share));
    const twin = copies.includes(one) ? copies.find((other) => other !== one) : undefined;
    const details = [
      isInDamage(one, examination.facts) && document.head.inDamage,
      methods.length === 0 && document.head[isSure ? 'further' : 'together'],
      twin && document.head.sameAs(places.indexOf(twin) + 1),
    ];
    return `${at + 1}: ${withDetails(where, details)}`;
  });
}

function hasDamagedPlace(input: SectionInput): boolean {
  return placesOfAnswer(input).some((one) => isInDamage(one, input.examination.facts));
}

/** How many findings the first page names; declarations in the file take more room. */
const namedFindings = { usual: 3, declared: 2 } as const;

/** The reasons for the answer, strongest first, and the evidence against it. */
function reasonsOf(input: SectionInput): Beside {
  const { evidence, language, result, catalogue } = input;
  const { rows, otherwise, nothingAgainst, search } = catalogue.document.head;
  const { outcome, isChangeHinted } = result;
  if (outcome === 'uncertain' || outcome === 'abstain') return [];
  const found = speaking(input, outcome === 'real' ? 'real' : 'fake').filter(
    ({ method }) => outcome !== 'fake' || !localisingMethods.has(method),
  );
  const declares = ({ method }: WordedFinding) =>
    outcome === 'declared' && toldInProvenance.has(method);
  const supporting = [...found.filter(declares), ...found.filter((one) => !declares(one))];
  const { provenance } = evidence;
  const most = namedFindings[outcome === 'declared' ? 'declared' : 'usual'];
  const isBroken = provenance.credentials?.integrity === 'broken';
  const doubts = kept([
    isBroken && catalogue.strength.evaluation.credentials.broken,
    ...provenance.inconsistencies.map(({ statement }) => printable(statement[language])),
  ]);
  const opposing = speaking(input, outcome === 'real' ? 'fake' : 'real');
  const weighed = (evidence.weighed ?? []).find(({ question }) => question === 'changed');
  const searched =
    weighed === undefined || weighed.strength === 'none'
      ? []
      : [`${capitalised(catalogue.strength.adverbs[weighed.strength])}: ${search[weighed.side]}`];
  const reasons = supporting.slice(0, most).map((one) => writeReason(input, one));
  if (isChangeHinted) {
    const signs = [...searched, ...opposing.map((one) => writeReason(input, one))];
    return [
      { title: rows.forReal, items: reasons },
      { title: rows.forChange, items: signs.slice(0, 2) },
      { title: rows.otherwise, items: otherwiseChanged(input) },
    ];
  }
  if (outcome === 'real') reasons.push(...searched);
  const against = (outcome === 'changed' ? opposing.filter(isAboutPart) : opposing)
    .slice(0, 2)
    .map((one) => writeReason(input, one));
  const hasNone = against.length === 0 && !isUnread(input);
  const others = outcome === 'changed' ? otherwiseChanged(input) : [otherwise[outcome]];
  return [
    { title: rows.reasons, items: reasons },
    { title: rows.against, items: hasNone ? [nothingAgainst] : against },
    { title: rows.noted, items: outcome === 'real' ? doubts.slice(0, 2) : [] },
    { title: rows.otherwise, items: others },
  ];
}

/** Harmless causes of what looks like a change; empty if a place is damaged, because the page states that above. */
function otherwiseChanged(input: SectionInput): readonly string[] {
  return hasDamagedPlace(input) ? [] : [input.catalogue.document.head.otherwise.changed];
}

/** For an open result: why nothing was decided, and what supports each side. */
function weighedOf(input: SectionInput): Beside {
  const { evidence, language, catalogue, result } = input;
  const { rows } = catalogue.document.head;
  const main = mainGround(result);
  const isSuspected = isSuspicion(result);
  const isHeaded = headsSuspicion(result);
  const why = [
    ...evidence.reasons.filter(({ code }) => code === main && !isSuspected),
    ...evidence.reasons.filter(
      ({ code }) =>
        code !== main &&
        main !== 'not_a_photograph' &&
        (!isSuspected || code === 'single_weak_method'),
    ),
  ].map(({ statement }) => statement[language]);
  const { small } = catalogue.verdict.onlySuspected;
  const { byOneOfAll, byAll, cameraNamed } = catalogue.document.head;
  const { changed, thresholds } = result;
  const namesCamera = evidence.provenance.software.some(({ kind }) => kind === 'camera');
  const isByOne = isSuspected && (changed ?? 1) < (thresholds['suspectedMin'] ?? 0);
  // For a damaged file, another line gives the reason.
  const isTooSmall = isSuspected && isNeverCalled(result) && damageOf(input) === null;
  const found = (side: 'real' | 'fake') =>
    speaking(input, side)
      .filter((one) => !isSuspected || isAboutPart(one))
      .slice(0, 2);
  const told = (side: 'real' | 'fake') => found(side).map((one) => writeReason(input, one));
  const isOfParts = found('fake').some(({ method }) => localisingMethods.has(method));
  return [
    {
      title: isHeaded ? rows.whySuspected : rows.why,
      items: kept([
        isTooSmall && small,
        isByOne && byOneOfAll,
        ...why.slice(0, namedFindings.usual),
        main === 'not_a_photograph' && namesCamera && cameraNamed,
        isSuspected && !isTooSmall && !isByOne && why.length === 0 && byAll,
      ]),
    },
    {
      title: isSuspected
        ? rows[isHeaded ? 'suspicion' : 'forChange']
        : rows[isOfParts ? 'forEither' : 'forFake'],
      items: [...(isSuspected ? editReasons(input) : []), ...told('fake')],
    },
    { title: isSuspected ? rows.against : rows.forReal, items: told('real') },
    { title: rows.otherwise, items: isSuspected ? otherwiseChanged(input) : [] },
  ];
}

/** What signed credentials declare that may have altered what the picture shows. */
function editReasons(input: SectionInput): readonly string[] {
  const { evidence, language, catalogue } = input;
  const { provenance } = evidence;
  if (!altersContent(provenance)) return [];
  const edits = writeDeclaredEdits(provenance, language);
  const told = catalogue.outcome.because.declaredEdits(edits, signerTrust(provenance));
  const { ungraded, maybeMarked } = catalogue.document.head;
  return [placesOfAnswer(input).length === 0 ? ungraded(told) : `${ungraded(told)} ${maybeMarked}`];
}

/** Findings about the whole picture say nothing about a change in a part. */
function isAboutPart({ method }: WordedFinding): boolean {
  return method !== traceNetwork.method && method !== pictureSize.method;
}

/** Findings for one side, without those from the pixels if the picture is outside the validated range. */
function speaking({ evidence, item, examination, result }: SectionInput, side: 'real' | 'fake') {
  if (result.outcome === 'abstain') return [];
  const isOutside = leadsToAbstain(examination.decision) && result.outcome === 'declared';
  const found = evidence.findings.filter(
    ({ method, speaksFor, strength }) =>
      strength !== 'none' &&
      speaksFor === side &&
      isShown(method, item) &&
      (!isOutside || toldInProvenance.has(method)),
  );
  // If there are signed credentials, a further entry only repeats them.
  const isSigned = found.some(({ method }) => method === 'content-credentials');
  return found.filter(({ method }) => !isSigned || method !== 'declared-origin');
}

/** The finding with its own strength, which may differ from that of all methods together, and its places. */
function writeReason(input: SectionInput, finding: WordedFinding): string {
  const { language, catalogue } = input;
  const { method, strength } = finding;
  const grade = strength === 'none' ? '' : catalogue.strength.adverbs[strength];
  const places = placesOfAnswer(input).map(({ methods }, at) => methods.includes(method) && at + 1);
  const numbers = places.filter((number) => number !== false);
  const isOneOfMany = localisingMethods.has(method);
  const told = printable(writeBriefly(finding, language));
  return `${capitalised(isOneOfMany ? catalogue.document.head.alone(grade, numbers) : grade)}: ${told}`;
}

/** How far to rely on it, what to do, how strong and how often wrong it is, what the file says, what was not checked. */
function answerRows(input: SectionInput): readonly Row[] {
  const { evidence, item, language, catalogue, presentation, result } = input;
  const seen = writeSeenBefore(item.seenBefore ?? [], language);
  const { rows, unchecked, beyond, scale, changedToo, undamaged, untestedOnDamage } =
    catalogue.document.head;
  const { notCheckedBrief, limits } = catalogue.limits;
  const { statement, weighed = [] } = evidence;
  const isUnjudged = isUnread(input);
  const notChecked = evidence.notChecked
    .filter(({ id }) => !isUnjudged || !aboutEdits.test(id))
    .map(({ id }) => notCheckedBrief[id])
    .join('; ');
  const things = isUnjudged ? beyond(notChecked) : capitalised(notChecked);
  const { next, further, origin, errorRate } = presentation;
  const hasExaminer = result.outcome === 'abstain' || result.reasons.includes('single_weak_method');
  const isDamaged = damageOf(input) !== null;
  const steps = [isDamaged && undamaged, next, ...further, !hasExaminer && limits.examinerShort];
  const lines = weighed.map((one) => one.statement[language]);
  const withLimits = weighed.flatMap((one) => [
    one.statement[language],
    ...(one.question === 'generated' ? limitsPassed(input) : []),
  ]);
  const isPhotograph = weighed.some((one) => one.question === 'generated' && one.side === 'real');
  const ratios = withLimits.join('\n') + (isOfPart(result) && isPhotograph ? ` ${changedToo}` : '');
  const stated = kept([
    statement[language].replace(lines.join(' '), '').trim(),
    result.outcome === 'declared' ? tracesOf(input, ratios) : ratios,
    weighed.length > 0 && scale,
  ]);
  const wrong = isDamaged ? `${errorRate} ${untestedOnDamage}` : errorRate;
  const reliance = [writeReliance(result, catalogue), ...writeOutsideSizes(input)];
  return [
    { label: rows.rely, value: reliance.join(' ') },
    { label: rows.next, value: kept(steps).join(' ') },
    { label: rows.strength, value: stated.join('\n') },
    ...row(errorRate !== '', rows.wrong, wrong),
    { label: rows.origin, value: printable(origin) },
    ...seen.map((one) => ({ label: one.label, value: one.lines.join('\n') })),
    { label: rows.unchecked, value: unchecked(things) },
  ];
}

/** For an answer about generation: the ratios that decide, as an open result states them, and if the traces did not. */
function limitsPassed({ examination, language, catalogue, result }: SectionInput) {
  const { outcome, byTraces } = result;
  if (outcome !== 'real' && outcome !== 'fake' && outcome !== 'declared') return [];
  const isOpen = outcome === 'declared' && byTraces === 'uncertain';
  const needed = writeNeededRatios(examination.decision, language);
  return kept([needed, isOpen && catalogue.document.head.tracesOpen]);
}

/** Left out if nothing was judged: then there is no need to mention small edits. */
const aboutEdits = /^(?:local|small|erased)_edits$/;

/** What the traces say about a picture whose file declares what it is. */
function tracesOf({ evidence, catalogue }: SectionInput, ratios: string): string {
  const { withoutEntry, noneWithoutEntry } = catalogue.document.head;
  if (ratios !== '') return withoutEntry(ratios);
  const [why] = evidence.byTraces?.reasons ?? [];
  return `${noneWithoutEntry} ${why === undefined ? '' : writeBecause(why, null, catalogue)}`.trim();
}

/** The three roles (program, operator, reviewer), the file and this report. */
function identityRows(input: SectionInput): readonly Row[] {
  const { examination, item, labels, catalogue, numbers } = input;
  const { facts, model, locator, environment } = examination;
  const { head, caseData, custody } = catalogue.document;
  const { rows } = head;
  const version = `${labels.product} ${printable(environment['forensics'] ?? '')}`.trim();
  const models = kept([modelName(model), locator && modelName(locator)]);
  const { caseNumber, exhibit, examiner, note } = item.caseData ?? {};
  const named = kept([
    printable(caseNumber ?? '', 80),
    exhibit !== undefined && `${caseData.exhibit} ${printable(exhibit, 80)}`,
  ]);
  const operator = item.custody?.find(({ actor }) => actor !== 'service')?.actor;
  const size = `${numbers.count(facts.width)} × ${numbers.count(facts.height)} ${labels.pixels}`;
  const bytes = `${numbers.count(facts.sizeBytes)} ${labels.bytes}`;
  const misnamed = facts.notes.includes('extension_disagrees') ? ` (${head.misnamed})` : '';
  const programs = models.map((one) => printable(one, 80)).join(', ');
  const isNamed = operator !== undefined && operator !== 'operator';
  const operatorName = isNamed && capitalised(printable(writeActor(operator, custody.actors), 80));
  const reviewer = examiner !== undefined && head.reviewer(printable(examiner, 80));
  const format = `${formatNames[facts.format]}${misnamed}`;
  return [
    { label: rows.program, value: head.program(version, programs, numbers.time(item.examinedAt)) },
    { label: rows.operator, value: operatorName || head.noOperator },
    { label: rows.reviewer, value: reviewer || head.noReviewer },
    ...row(named.length > 0, caseData.caseNumber, named.join('; ')),
    ...foreignRow(caseData.note, note ?? null, maxNoteLength),
    { label: rows.file, value: [format, size, bytes, `SHA-256 ${facts.sha256}`].join(', ') },
  ];
}

/** Below the title: the picture's name, the report's number and, on a server, the analysis. */
export function writeSubtitle(examination: Examination, item: ReportItem, language: Language) {
  const { rows } = wordsIn(language).labels;
  return kept([
    printable(item.name, 100),
    `${rows.report} ${reportNumber(examination, item)}`,
    item.analysisId !== null && `${rows.analysis} ${printable(item.analysisId)}`,
  ]).join(' · ');
}

/** The same in every language, different for any other input: 48 bits of a SHA-256 in groups of four digits. */
export function reportNumber(
  { facts, model, options }: Examination,
  { analysisId, examinedAt }: ReportItem,
): string {
  const parts = [facts.sha256, model.files, options, analysisId, examinedAt.toISOString()];
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return digest.slice(0, 12).toUpperCase().match(/.{4}/g)!.join('-');
}
