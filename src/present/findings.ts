/** Turns the stored codes and values of an examination into the words that responses, files and reports show. */

import type { Evidence } from '../contract/evidence.ts';
import { type Bilingual, formatNames, type Language } from '../contract/vocabulary.ts';
import type { Finding, Skipped } from '../detectors/detector.ts';
import type { Inconsistency, Provenance } from '../provenance/provenance.ts';
import type { Warning, WarningCode } from '../image/metadata-blocks.ts';
import type { StoredWarning } from '../image/metadata.ts';
import type { PictureFacts } from '../image/picture.ts';
import { capitalised, nameIn, printable } from './text.ts';
import { createNumberWriter, inBoth, type Words, wordsIn } from './wording/catalogue.ts';

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

/** One sentence for each part of the file that could not be read. */
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
