/** What a result amounts to, in the words of the terminal and the reports. */

import type { Analysis } from '../../contract/analysis.ts';
import { type Language, type ReasonCode, resultClasses } from '../../contract/vocabulary.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';

type Outcome = 'real' | 'fake' | 'changed' | 'declared' | 'uncertain' | 'abstain';

export interface VerdictText {
  readonly outcome: Outcome;
  /** As it stands on the first page of the report. */
  readonly headline: string;
  readonly because: string;
  readonly next: string;
}

/** Null while there is no result. */
export function writeVerdict(
  { inferenceStatus }: Analysis,
  language: Language,
): VerdictText | null {
  const { result, status } = inferenceStatus;
  const verdict = result === undefined ? undefined : resultClasses[result.resultClass];
  if (status !== 'completed' || verdict === undefined) return null;
  const evidence = result?.evidence ?? null;
  const words = wordsIn(language);
  const { because, next, places } = words.terminal;
  const basis = verdict === 'fake' ? evidence?.basis : undefined;
  const outcome: Outcome =
    basis === 'declaration' ? 'declared' : basis === 'localisation' ? 'changed' : verdict;
  const { headlines, headlineChanged, headlineDeclared } = words.labels;
  const headline = { ...headlines, changed: headlineChanged, declared: headlineDeclared }[outcome];
  const reason = mainReason(evidence?.reasons.map(({ code }) => code) ?? []);
  const head = { outcome, headline };
  switch (outcome) {
    case 'real':
    case 'fake':
      return { ...head, because: because[outcome], next: next[outcome] };
    case 'changed':
      return { ...head, because: because.changed(''), next: next.changed };
    case 'declared': {
      const declared = evidence?.provenance.declarations.find(
        ({ origin }) => origin !== 'captured',
      );
      const name = declared?.generator == null ? '' : `: ${declared.generator}`;
      return {
        ...head,
        because: declared === undefined ? '' : because.declared(places[declared.place], name),
        next: declared?.assurance === 'trusted' ? next.vouched : next.declared,
      };
    }
    case 'uncertain':
    case 'abstain':
    default:
      if (reason === null) return { ...head, because: '', next: '' };
      return {
        ...head,
        because: reason === 'manipulation_suspected' ? because.suspected('') : because[reason],
        next: next[reason],
      };
  }
}

/** A suspected change before what is merely missing. */
function mainReason(codes: readonly ReasonCode[]): ReasonCode | null {
  return codes.find((code) => code === 'manipulation_suspected') ?? codes[0] ?? null;
}
