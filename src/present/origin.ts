/**
 * What a file says about its own origin, and which other pictures it is linked to, in a few words: for the first page of
 * a report and for the terminal. The provenance chapter has the details.
 */

import type { SeenBefore } from '../contract/seen-before.ts';
import { assurances, type InconsistencyCode, type Language } from '../contract/vocabulary.ts';
import {
  type Declaration,
  firstEdit,
  type NamedSoftware,
  type Provenance,
} from '../provenance/provenance.ts';
import { kept, nameIn, printable } from './text.ts';
import { createNumberWriter, wordsIn } from './wording/catalogue.ts';
import type { SignerTrust } from './wording/en/outcome.ts';
import type { Flaw } from './wording/en/provenance.ts';

/** As an examination stores it or a server sends it. */
export type FileStatements = Omit<Provenance, 'inconsistencies'> & {
  readonly inconsistencies: readonly { readonly code: InconsistencyCode }[];
};

// A history can name every version of a program; the provenance chapter lists them all.
const namedEditors = 3;
const namedSteps = 6;
/** Maximum length of a name from the file within a sentence, in characters. */
const longestNamed = 40;

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

/** The best supported declaration of generated content. */
export function bestDeclaration(file: Pick<FileStatements, 'declarations'>): Declaration | null {
  const generated = file.declarations.filter(({ origin }) => origin !== 'captured');
  const best = assurances.findLast((one) => generated.some(({ assurance }) => assurance === one));
  return generated.find(({ assurance }) => assurance === best) ?? null;
}

/** The gravest sign, in the file's own records, of a save after the picture was taken; null if there is none. */
export function savedAgain(provenance: FileStatements | null) {
  if (provenance === null) return null;
  const { software, history, credentials, inconsistencies } = provenance;
  const codes = inconsistencies.map(({ code }) => code);
  if (codes.includes('maker_note_missing_for_camera')) return 'rewritten';
  if (credentials?.integrity === 'broken') return 'signed';
  const isEdited = history.length > 0 || software.some(({ kind }) => kind === 'editor');
  return isEdited || codes.some(isOfSaving) ? 'saved' : null;
}

/** Whether signed credentials that match the file declare a step that may have altered what the picture shows. */
export function altersContent(provenance: FileStatements | null): boolean {
  return firstEdit({ actions: signedSteps(provenance) }) !== null;
}

/** The declared editing steps; empty if the file declares none. */
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

/** The program that last saved the file, according to the file itself; null if it names none. */
export function lastProgram(provenance: FileStatements | null): string | null {
  const last = provenance?.history.findLast(({ software }) => software !== null)?.software;
  const name = last ?? provenance?.software.find(({ kind }) => kind === 'editor')?.name;
  return name == null ? null : printable(withoutBuild(name), longestNamed);
}

/** Whether the contradiction concerns saving, and is not just a possible sign of a wrong clock. */
export function isOfSaving(code: InconsistencyCode): boolean {
  return !clockErrors.has(code);
}

const clockErrors: ReadonlySet<InconsistencyCode> = new Set([
  'created_after_modified',
  'time_in_future',
  'gps_time_differs',
]);

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

/**
 * Whether the file looks as a camera first stored it, so that asking for "the original" makes no sense. It may still be
 * forged, so this only affects which next step is suggested.
 */
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
  const named = kept([writeLink(other, language), other.name]).join(' ');
  return printable(`${named}, ${writeFacts(other, language)}`);
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
