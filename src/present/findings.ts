/** Puts what an examination stores, codes and values, into the words that answers, files and reports show. */

import type { Evidence } from '../contract/evidence.ts';
import type { Bilingual, Language } from '../contract/vocabulary.ts';
import type { Finding, Skipped } from '../detectors/detector.ts';
import type { Inconsistency, Provenance } from '../provenance/provenance.ts';
import { inBoth } from './report-item.ts';
import { wordsIn } from './wording/catalogue.ts';

export type WordedFinding = Evidence['findings'][number];

/** Fields by name: nothing else that an old examination may hold is passed on, and no number that JSON cannot hold. */
export function wordFinding(finding: Finding): WordedFinding {
  const { method, speaksFor, strength, score, measures, source } = finding;
  const finite = Object.entries(measures).filter(([, value]) => Number.isFinite(value));
  const statement = wordStatement(finding.statement);
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

function wordStatement(statement: Finding['statement']): Bilingual {
  if ('en' in statement) return statement;
  const { code, values } = statement;
  return inBoth((language) => pick(wordsIn(language).findings.statements, code, values));
}

export function wordSkipped({ method, reason }: Skipped): Evidence['skipped'][number] {
  if (typeof reason !== 'string') return { method, reason };
  return { method, reason: inBoth((language) => wordsIn(language).findings.skips[reason]) };
}

export function wordProvenance(provenance: Provenance): Evidence['provenance'] {
  return { ...provenance, inconsistencies: provenance.inconsistencies.map(wordInconsistency) };
}

function wordInconsistency(one: Inconsistency): Evidence['provenance']['inconsistencies'][number] {
  if ('statement' in one) return one;
  const { code, values, measures } = one;
  const write = (language: Language) =>
    pick(wordsIn(language).provenance.inconsistencies, code, values);
  return { code, statement: inBoth(write), measures };
}

/** Code and values belong together, which a union of pairs cannot tell the compiler once they are apart. */
function pick<Values extends object, Code extends keyof Values>(
  sentences: { readonly [Each in keyof Values]: (values: Values[Each]) => string },
  code: Code,
  values: Values[Code],
): string {
  return sentences[code](values);
}
