/** Puts what the engine found, in codes and values, into the words of every report language, as it is stored and sent. */

import type { Language } from '../contract/vocabulary.ts';
import type { Finding, Skipped } from '../detectors/detector.ts';
import type {
  CodedExamination,
  Examination,
  WordedFinding,
  WordedProvenance,
  WordedSkip,
} from '../engine/result.ts';
import type { Provenance } from '../provenance/provenance.ts';
import { inBoth } from './report-item.ts';
import { wordsIn } from './wording/catalogue.ts';

export function wordExamination(examination: CodedExamination): Examination {
  return {
    ...examination,
    provenance: wordProvenance(examination.provenance),
    ...wordMethods(examination),
  };
}

export function wordMethods({
  findings,
  skipped,
}: Pick<CodedExamination, 'findings' | 'skipped'>): Pick<Examination, 'findings' | 'skipped'> {
  return { findings: findings.map(wordFinding), skipped: skipped.map(wordSkipped) };
}

export function wordFinding(finding: Finding): WordedFinding {
  const { code, values } = finding.statement;
  const statement = inBoth((language) => pick(wordsIn(language).findings.statements, code, values));
  return { ...finding, statement };
}

export function wordSkipped({ method, reason }: Skipped): WordedSkip {
  return { method, reason: inBoth((language) => wordsIn(language).findings.skips[reason]) };
}

export function wordProvenance(provenance: Provenance): WordedProvenance {
  const inconsistencies = provenance.inconsistencies.map(({ code, values, measures }) => {
    const write = (language: Language) =>
      pick(wordsIn(language).provenance.inconsistencies, code, values);
    return { code, statement: inBoth(write), measures };
  });
  return { ...provenance, inconsistencies };
}

/** Code and values belong together, which a union of pairs cannot tell the compiler once they are apart. */
function pick<Values extends object, Code extends keyof Values>(
  sentences: { readonly [Each in keyof Values]: (values: Values[Each]) => string },
  code: Code,
  values: Values[Code],
): string {
  return sentences[code](values);
}
