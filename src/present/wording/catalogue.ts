/** Every sentence of reports and of `analyze`, by language. The types ensure that no German one is missing. */

import type { Language } from '../../contract/vocabulary.ts';
import { cases as casesDe, document as documentDe, glossary as glossaryDe } from './de/document.ts';
import { findings as findingsDe } from './de/findings.ts';
import { labels as labelsDe } from './de/labels.ts';
import { outcome as outcomeDe, verdict as verdictDe } from './de/outcome.ts';
import { provenance as provenanceDe } from './de/provenance.ts';
import { limits as limitsDe, strength as strengthDe } from './de/strength.ts';
import { terminal as terminalDe } from './de/terminal.ts';
import { cases as casesEn, document as documentEn, glossary as glossaryEn } from './en/document.ts';
import { findings as findingsEn } from './en/findings.ts';
import { labels as labelsEn } from './en/labels.ts';
import { outcome as outcomeEn, verdict as verdictEn } from './en/outcome.ts';
import { provenance as provenanceEn } from './en/provenance.ts';
import { limits as limitsEn, strength as strengthEn } from './en/strength.ts';
import { terminal as terminalEn } from './en/terminal.ts';

const english = {
  labels: labelsEn,
  document: documentEn,
  outcome: outcomeEn,
  verdict: verdictEn,
  strength: strengthEn,
  findings: findingsEn,
  provenance: provenanceEn,
  limits: limitsEn,
  glossary: glossaryEn,
  terminal: terminalEn,
  cases: casesEn,
};

export type Words = typeof english;

const words: Readonly<Record<Language, Words>> = {
  en: english,
  de: {
    labels: labelsDe,
    document: documentDe,
    outcome: outcomeDe,
    verdict: verdictDe,
    strength: strengthDe,
    findings: findingsDe,
    provenance: provenanceDe,
    limits: limitsDe,
    glossary: glossaryDe,
    terminal: terminalDe,
    cases: casesDe,
  },
};

export function wordsIn(language: Language): Words {
  return words[language];
}
