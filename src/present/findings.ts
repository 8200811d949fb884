/**
 * Turns the stored codes and values of an examination into the words that responses, files and reports show: the findings
 * of the methods, what the file says about its own origin, and which other pictures it is linked to.
 */

import type { Evidence } from '../contract/evidence.ts';
import type { SeenBefore } from '../contract/seen-before.ts';
import {
  assurances,
  type Bilingual,
  formatNames,
  type InconsistencyCode,
  type Language,
} from '../contract/vocabulary.ts';
import type { Finding, Skipped } from '../detectors/detector.ts';
import {
  type Declaration,
  firstEdit,
  type Inconsistency,
  type NamedSoftware,
  type Provenance,
  type StoredWarning,
  type Warning,
  type WarningCode,
} from '../contract/provenance.ts';
import type { PictureFacts } from '../image/picture.ts';
import { capitalised, kept, nameIn, printable } from './text.ts';
import { createNumberWriter, inBoth, type Words, wordsIn } from './wording/catalogue.ts';
import type { SignerTrust } from './wording/en/outcome.ts';
import type { Flaw } from './wording/en/provenance.ts';

export type WordedFinding = Evidence['findings'][number];

/** Copies fields by name: passes on no other field of an old examination, and no number that JSON cannot represent. */
export function wordFinding(finding: Finding): WordedFinding {
  const { method, speaksFor, strength, score, measures, source } = finding;
  const finite = Object.entries(measures).filter(([, value]) => Number.isFinite(value));
  const statement = wordStatement(finding);
  return {
    method,
    speaksFor,
    strength,
    score,
    statement,
    measures: Object.fromEntries(finite),
    source,
  };
}

/** The finding without the figure that readers would take for the answer; the annex states and explains that figure. */
export function writeBriefly(
  { method, speaksFor, statement }: Pick<WordedFinding, 'method' | 'speaksFor' | 'statement'>,
  language: Language,
): string {
  const isTraces = method === 'trace-network' && speaksFor !== 'neither';
  return isTraces ? wordsIn(language).document.head.traces[speaksFor] : statement[language];
}

/** What to do about a finding, in one sentence; empty if it indicates neither generation nor a change. */
export function writeNextStep(
  { method, speaksFor, strength }: Pick<WordedFinding, 'method' | 'speaksFor' | 'strength'>,
  language: Language,
): string {
  if (speaksFor !== 'fake' || strength === 'none') return '';
  const { weak, other, methods } = wordsIn(language).outcome.nextOf;
  return strength === 'weak' && method !== 'declared-origin' ? weak : (methods[method] ?? other);
}

/** Next steps for the findings that indicate generation or a change: `Copy-move, thumbnail: ...`, one line per step. */
export function writeNextSteps(
  findings: readonly Parameters<typeof writeNextStep>[0][],
  language: Language,
): readonly string[] {
  const bySteps = Map.groupBy(findings, (finding) => writeNextStep(finding, language));
  bySteps.delete('');
  return [...bySteps].map(([step, found]) => {
    const named = found.map(({ method }) => methodNameIn(wordsIn(language).findings, method));
    return `${capitalised(named.join(', '))}: ${step}`;
  });
}

export function methodNameIn({ methods }: Words['findings'], method: string): string {
  return nameIn(methods, method, printable(method, 60));
}

function wordStatement({ statement, measures }: Finding): Bilingual {
  if ('en' in statement) return statement;
  const { code } = statement;
  const { likelyPairs: pairs } = measures;
  // The statement describes only one of several pairs, and the marks may belong to the others.
  const values = pairs === undefined ? statement.values : { ...statement.values, pairs };
  return inBoth(({ findings }) => pick(findings.statements, code, values));
}

export function wordSkipped(
  { method, reason }: Skipped,
  { format }: Pick<PictureFacts, 'format'>,
): Evidence['skipped'][number] {
  if (typeof reason !== 'string') return { method, reason };
  const written = inBoth(({ findings }) =>
    findings.skips[reason].replace('{format}', formatNames[format]),
  );
  return { method, reason: written };
}

export function wordProvenance(provenance: Provenance): Evidence['provenance'] {
  return {
    ...provenance,
    inconsistencies: provenance.inconsistencies.map(wordInconsistency),
    warnings: writeWarnings(provenance, 'en'),
  };
}

/** The facts with their warnings in English, for output that programs read. */
export function wordFacts(facts: PictureFacts): PictureFacts {
  const { metadata } = facts;
  return { ...facts, metadata: { ...metadata, warnings: writeWarnings(metadata, 'en') } };
}

/** Short notes on how the pixels were obtained and what is unusual about the file. */
export function writeNotes(
  { notes, soundShare }: Pick<PictureFacts, 'notes' | 'soundShare'>,
  language: Language,
): readonly string[] {
  const { labels } = wordsIn(language);
  // The note that all rows are there would contradict missing rows.
  const isCut = soundShare !== undefined;
  const told = notes.filter((note) => !isCut || note !== 'end_marker_missing');
  return told.map((note) =>
    note === 'rows_missing' && soundShare !== undefined
      ? labels.soundRows(createNumberWriter(language).fixed(100 * soundShare, 1))
      : labels.notes[note],
  );
}

export function writeWarnings({ warnings }: Pick<Provenance, 'warnings'>, language: Language) {
  return warnings.map((warning) => writeWarning(warning, language));
}

function writeWarning(stored: StoredWarning, language: Language): string {
  if (typeof stored === 'string') {
    const read = readWarning(stored);
    return read === null ? stored : writeWarning(read, language);
  }
  return pick(wordsIn(language).provenance.warnings, stored.code, stored.values);
}

/** The code of an English sentence that an earlier version stored; null if no version wrote this sentence. */
function readWarning(sentence: string): Warning | null {
  for (const [code, pattern] of Object.entries(storedSentences)) {
    const { place, keyword, ...numbers } = pattern.exec(sentence)?.groups ?? {};
    if (!pattern.test(sentence)) continue;
    const values = {
      ...(place !== undefined && { place: place.toLowerCase().replace(' ', '-') }),
      ...(keyword !== undefined && { keyword }),
      ...Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, Number(text)])),
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Groups are named after the values of the code.
    return { code, values } as Warning;
  }
  return null;
}

const storedSentences: Readonly<Record<WarningCode, RegExp>> = {
  texts_cut: /^(?<place>[\w ]+): long texts were cut to (?<characters>\d+) characters\.$/,
  entries_cut: /^(?<place>[\w ]+): only the first (?<entries>\d+) entries were kept\.$/,
  block_too_large:
    /^(?<place>[\w ]+): the block of (?<bytes>\d+) bytes is too large and was not read\.$/,
  block_unreadable: /^(?<place>[\w ]+): the block (?:contains|holds) nothing that could be read\.$/,
  block_read_in_part:
    /^(?<place>[\w ]+): the block is damaged or too long; only a part could be read\.$/,
  extended_xmp_incomplete:
    /^XMP: segments of the extended part are missing; the others were read\.$/,
  extended_xmp_differs: /^XMP: the extended part does not match its checksum or /,
  extended_xmp_not_read: /^XMP: the extended part was not read\.$/,
  png_chunks_cut: /^PNG: only the first metadata chunks were read\.$/,
  png_text_not_inflated:
    /^PNG: the compressed text of "(?<keyword>.*)" is broken or too large and was not read\.$/s,
  thumbnail_unreadable: /^The (?:EXIF thumbnail|thumbnail in EXIF) cannot be decoded\.$/,
  credentials_elsewhere:
    /^The file (?:names|refers to) content credentials that are kept elsewhere; they were not fetched\.$/,
  credentials_removed:
    /^The file refers to content credentials inside itself that are no longer there:/,
  not_read_by_earlier_version:
    /^An earlier version of the program examined the file; it did not read these facts\.$/,
};

function wordInconsistency(one: Inconsistency): Evidence['provenance']['inconsistencies'][number] {
  if ('statement' in one) return one;
  const { code, values, measures } = one;
  const statement = inBoth(({ provenance }) => pick(provenance.inconsistencies, code, values));
  return { code, statement, measures };
}

/** Code and values belong together, but the compiler cannot tell once they are in separate variables. */
function pick<Values extends object, Code extends keyof Values>(
  sentences: { readonly [Each in keyof Values]: (values: Values[Each]) => string },
  code: Code,
  values: Values[Code],
): string {
  return sentences[code](values);
}

// What a file says about its own origin, briefly; the provenance chapter has the details.

/** As an examination stores it or a server sends it. */
export type FileStatements = Omit<Provenance, 'inconsistencies'> & {
  readonly inconsistencies: readonly { readonly code: InconsistencyCode }[];
};

// A history can name every version of a program; the provenance chapter lists them all.
const namedEditors = 3;
const namedSteps = 6;
/** Maximum length of a name from the file within a sentence, in characters. */
export const longestNamed = 40;

/** Phrases without a full stop, the best supported first. Never empty: missing statements are mentioned too. */
export function writeOrigin(provenance: FileStatements, language: Language): readonly string[] {
  const { brief, origins } = wordsIn(language).provenance;
  const { declarationPlaces } = wordsIn(language).findings;
  const { credentials, software, history } = provenance;
  const namedAs = (kind: NamedSoftware['kind']) =>
    software.filter((one) => one.kind === kind).map(({ name }) => withoutBuild(name));
  const [camera, [firmware]] = [namedAs('camera'), namedAs('firmware')];
  const generators = namedAs('generator');
  const last = history.findLast((step) => step.software !== null);
  // The history already mentions it, with its date.
  const editors = namedAs('editor').filter((name) => name !== last?.software);
  const day =
    last?.when == null ? null : createNumberWriter(language).stated(last.when.slice(0, 10));
  const lastStep = [last?.software, day].filter(Boolean).join(', ');
  const declared = bestDeclaration(provenance);
  const edits = writeDeclaredEdits(provenance, language);
  const named = editors.slice(0, namedEditors);
  return kept([
    declared && brief.declares(origins[declared.origin], declarationPlaces[declared.place]),
    credentials && brief.credentials(credentials, flawsOf(credentials)),
    edits !== '' && brief.edits(edits),
    named.length > 0 && brief.editors(named, editors.length - named.length),
    history.length > 0 && brief.history(history.length, lastStep),
    generators.length > 0 && brief.generators(generators),
    ...camera.map((name) => brief.camera(firmware === undefined ? name : `${name}, ${firmware}`)),
    credentials === null && brief.noCredentials,
  ]);
}

/** Build numbers mean nothing to a reader. */
export function withoutBuild(name: string): string {
  return name.replace(/\s\d{5,}[\d:.]*$/, '');
}

export function bestDeclaration(file: Pick<FileStatements, 'declarations'>): Declaration | null {
  const generated = file.declarations.filter(({ origin }) => origin !== 'captured');
  const best = assurances.findLast((one) => generated.some(({ assurance }) => assurance === one));
  return generated.find(({ assurance }) => assurance === best) ?? null;
}

/** Whether signed credentials that match the file declare a step that may have altered what the picture shows. */
export function altersContent(provenance: FileStatements | null): boolean {
  return firstEdit({ actions: signedSteps(provenance) }) !== null;
}

export function writeDeclaredEdits(provenance: FileStatements | null, language: Language): string {
  const { credentialActions } = wordsIn(language).provenance;
  const told = declaredEdits(provenance).map((name) =>
    nameIn(credentialActions, name, printable(name, longestNamed)),
  );
  const steps = [...new Set(told)];
  return [...steps.slice(0, namedSteps), ...(steps.length > namedSteps ? ['…'] : [])].join(', ');
}

/** Steps from signed credentials that match the file; those with a source type count as the declared origin instead. */
function signedSteps(provenance: FileStatements | null) {
  const { credentials = null } = provenance ?? {};
  if (credentials?.integrity !== 'valid') return [];
  return credentials.actions.filter(({ digitalSourceType }) => digitalSourceType === null);
}

export function signerTrust(provenance: FileStatements | null): SignerTrust {
  const { signer = null, trust = 'not-checked' } = provenance?.credentials ?? {};
  if (trust === 'trusted') return 'trusted';
  return isTestSigner(signer) ? 'test' : 'open';
}

function isTestSigner(signer: string | null): boolean {
  return /\btest\b/i.test(signer ?? '');
}

/** The steps that can change a picture, by name without `c2pa.`. */
export function declaredEdits(provenance: FileStatements | null): readonly string[] {
  return signedSteps(provenance)
    .map(({ action }) => action.replace(/^c2pa\./, ''))
    .filter((name) => !unchanging.test(name));
}

const unchanging = /^(?:created|opened|converted|repackaged|transcoded|published)$/;

function flawsOf(credentials: NonNullable<FileStatements['credentials']>): readonly Flaw[] {
  const { signer, problems, hasTimestamp, ingredientProblems = [] } = credentials;
  const isAltered = ingredientProblems.some((code) => !code.startsWith('signingCredential.'));
  return [
    ...(isTestSigner(signer) ? ['test' as const] : []),
    ...(problems.includes('signingCredential.expired') ? ['expired' as const] : []),
    ...(isAltered ? ['ingredient' as const] : []),
    ...(hasTimestamp ? [] : ['untimed' as const]),
  ];
}

/** Then asking for "the original" makes no sense. It may still be forged: this only affects the suggested next step. */
export function looksLikeCameraFile(file: FileStatements): boolean {
  const { software, history, inconsistencies, quantisation, declarations } = file;
  const isNamed = software.some(({ kind }) => kind === 'camera');
  const isByDevice = software.every(({ kind }) => kind === 'camera' || kind === 'firmware');
  const isGenerated = declarations.some(({ origin }) => origin !== 'captured');
  return (
    isNamed &&
    isByDevice &&
    !isGenerated &&
    history.length === 0 &&
    inconsistencies.length === 0 &&
    quantisation?.kind === 'custom'
  );
}

// Other pictures that show the same thing as this one, or come from the same source, one per line.

const maxLines = 3;

/** Whether the other shows the same picture; if not, only their files have something in common. */
export function isCopy({ reasons }: Pick<SeenBefore, 'reasons'>): boolean {
  return reasons.includes('picture');
}

/** Copies and mere links apart: one line per picture, as in `writeOther`, and finally how many more there are. */
export function writeSeenBefore(seenBefore: readonly SeenBefore[], language: Language) {
  const { seen } = wordsIn(language).terminal;
  const { copies = [], links = [] } = Object.groupBy(seenBefore, (other) =>
    isCopy(other) ? 'copies' : 'links',
  );
  const toLines = (all: readonly SeenBefore[]) => {
    const lines = all.slice(0, maxLines).map((other) => writeOther(other, language));
    return all.length > maxLines ? [...lines, seen.more(all.length - maxLines)] : lines;
  };
  return [
    { label: seen.label, lines: toLines(copies) },
    { label: seen.linked, lines: toLines(links) },
  ].filter(({ lines }) => lines.length > 0);
}

/** `NAME, 2026-03-02, case 4711, mirrored` or, if it is no copy, `same camera body as NAME, 2026-03-02, case 4711`. */
export function writeOther(other: SeenBefore, language: Language): string {
  const projectId = other.projectId === null ? null : printable(other.projectId, 80);
  const named = kept([writeLink(other, language), printable(other.name, 80)]).join(' ');
  return `${named}, ${writeFacts({ ...other, projectId }, language)}`;
}

/** What the files of two different pictures have in common, followed by `as`; empty for a copy. */
export function writeLink(other: SeenBefore, language: Language): string {
  return isCopy(other) ? '' : wordsIn(language).terminal.seen.as(writeShared(other, language));
}

/** `2026-03-02, case 4711` (German: `02.03.2026, ...`), and for a copy, whether it is mirrored and what else the files have in common. */
export function writeFacts(other: SeenBefore, language: Language): string {
  const { createdDate, projectId, alignment } = other;
  const { seen } = wordsIn(language).terminal;
  return kept([
    createNumberWriter(language).stated(createdDate.slice(0, 10)),
    projectId !== null && seen.inCase(projectId),
    alignment?.isMirrored && seen.mirrored,
    isCopy(other) && writeShared(other, language),
  ]).join(', ');
}

function writeShared({ reasons }: SeenBefore, language: Language): string {
  const { seen } = wordsIn(language).terminal;
  return kept(reasons.map((reason) => reason !== 'picture' && seen.reasons[reason])).join(', ');
}
