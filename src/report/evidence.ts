/**
 * `result.evidence` of the forensic tier: what was found, ranked, in words of both report languages; what speaks against
 * it; and what was not looked at. Made anew from the stored examination whenever it is asked for.
 */

import type { Evidence } from '../contract/evidence.ts';
import {
  type Assurance,
  type Bilingual,
  type ReasonCode,
  type Strength,
  strengths,
} from '../contract/vocabulary.ts';
import { strengthOfAssurance, strengthOfRatio } from '../detectors/detector.ts';
import { traceNetwork } from '../detectors/trace-network.ts';
import { type SupportedRatio, supportedRatio } from '../engine/likelihood-ratio.ts';
import type { Examined, WordedFinding } from '../engine/result.ts';
import { inBoth } from './report-item.ts';
import { phrasesOf } from './wording/catalogue.ts';
import { writeChange, writeStability } from './wording/changes.ts';
import { listNotChecked } from './wording/not-checked.ts';
import {
  outside,
  undecided,
  writeCap,
  writeChanged,
  writeDeclared,
  writeNoCap,
  writeTraced,
} from './wording/strength.ts';

export type RankedFinding = Evidence['findings'][number];
type Cap = NonNullable<Evidence['cap']>;

export function writeEvidence(examined: Examined): Evidence {
  const { decision, findings, skipped, stability, provenance, manipulation, facts } = examined;
  return {
    basis: decision.basis,
    byTraces: decision.byTraces ?? null,
    ...measureStrength(examined),
    findings: ranked(findings.map((finding) => toRanked(boundedFinding(finding, examined)))),
    skipped,
    reasons: decision.reasons.map(toReason),
    stability: stability === null ? null : writeStability(stability),
    manipulation: manipulation === null ? null : writeChange(manipulation, facts),
    provenance,
    notChecked: listNotChecked(examined),
  };
}

/** Fields by name: of what a stored finding may hold beside them nothing is passed on, and no number that JSON cannot hold. */
function toRanked(finding: WordedFinding): RankedFinding {
  const { method, speaksFor, strength, score, statement, measures, source } = finding;
  const finite = Object.entries(measures).filter(([, value]) => Number.isFinite(value));
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

/** Equals stay in the order of the methods. */
function ranked(findings: readonly RankedFinding[]): readonly RankedFinding[] {
  const rank = ({ strength, speaksFor }: RankedFinding) =>
    2 * strengths.indexOf(strength) + (speaksFor === 'neither' ? 0 : 1);
  return findings.toSorted((one, other) => rank(other) - rank(one));
}

function toReason(code: ReasonCode): Evidence['reasons'][number] {
  return {
    code,
    statement: inBoth((language) => phrasesOf(language).reasons[code].what),
    help: inBoth((language) => asSentence(phrasesOf(language).reasons[code].help)),
  };
}

/** What would help is a noun phrase, made to follow "Helpful:"; here it stands alone. */
function asSentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}

// How strongly an examination speaks for its class: a likelihood ratio, held down to what the measured error rates bear
// out, or for a declaration a word by how far it can be believed, or for a changed part that of the strongest method.

export interface MeasuredStrength {
  readonly strength: Strength;
  readonly ratio: number | null;
  readonly statement: Bilingual;
  readonly cap: Cap | null;
}

export function measureStrength(examined: Examined): MeasuredStrength {
  const { resultClass, basis } = examined.decision;
  if (resultClass !== 'real' && resultClass !== 'fake') {
    const statement = resultClass === 'abstain' ? outside : undecided;
    return { strength: 'none', ratio: null, statement, cap: null };
  }
  if (basis === 'declaration') return ofDeclaration(examined);
  return basis === 'localisation' ? ofChange(examined) : ofTraces(examined, resultClass);
}

/** A declaration has no error rate that anybody could measure: whoever forges one decides how often it is wrong. */
function ofDeclaration({ provenance }: Examined): MeasuredStrength {
  const declared = provenance.declarations.filter(({ origin }) => origin !== 'captured');
  const assurances = declared.map(({ assurance }) => assurance);
  const order: readonly Assurance[] = ['trusted', 'signed', 'unsigned'];
  const best = order.find((assurance) => assurances.includes(assurance)) ?? 'unsigned';
  const strength = strengthOfAssurance[best];
  return { strength, ratio: null, statement: writeDeclared(best, strength), cap: null };
}

/**
 * As strong as the strongest method that speaks for the change, whose word was measured: what all of them say together was
 * fitted on simulated changes, and how far it can be believed was not.
 */
function ofChange({ findings, manipulation }: Examined): MeasuredStrength {
  const speaking = findings.filter(({ method }) => manipulation?.methods.includes(method));
  const steps = speaking.map(({ strength }) => strengths.indexOf(strength));
  const strength = strengths[Math.max(0, ...steps)]!;
  return { strength, ratio: null, statement: writeChanged(strength), cap: null };
}

function ofTraces(examined: Examined, side: 'real' | 'fake'): MeasuredStrength {
  const { measured, options, decision } = examined;
  const supported = supportedRatio(measured, options.decisionStrategy, side);
  const cap = toCap(supported, side, examined);
  const traced = ratioOf(decision.fakeProbability);
  const ratio = supported === null ? null : Math.min(traced, cap.ratio);
  const strength = strengthOfRatio(ratio ?? 1);
  return { strength, ratio, statement: writeTraced({ side, strength, ratio, traced }), cap };
}

function toCap(
  supported: SupportedRatio | null,
  side: 'real' | 'fake',
  { measured, options }: Examined,
): Cap {
  const isMeasured = measured.length > 0;
  if (supported === null) {
    return { ratio: 1, strategy: null, condition: null, statement: writeNoCap(isMeasured) };
  }
  const { strategy, condition } = supported;
  const ratio = roundedDown(supported.ratio);
  const isLooser = strategy !== options.decisionStrategy;
  return { ratio, strategy, condition, statement: writeCap({ supported, ratio, side, isLooser }) };
}

/**
 * The trace network's own word for its strength knows nothing of its error rates. Outside the validated domain it has no
 * meaning at all.
 */
export function boundedFinding(finding: WordedFinding, examined: Examined): WordedFinding {
  const { method, speaksFor, score } = finding;
  if (method !== traceNetwork.method || speaksFor === 'neither') return finding;
  const { measured, options, decision } = examined;
  const { resultClass } = decision.byTraces ?? decision;
  if (resultClass === 'abstain') return { ...finding, ...silent };
  const supported = supportedRatio(measured, options.decisionStrategy, speaksFor);
  const strength = strengthOfRatio(Math.min(ratioOf(score), supported?.ratio ?? 1));
  return { ...finding, ...(strength === 'none' ? silent : { strength }) };
}

const silent = { speaksFor: 'neither', strength: 'none' } as const;

/** Beyond this the calibration says nothing: it was fitted on some hundred pictures. */
const highestRatio = 1e6;

/** Odds of the side that a calibrated probability speaks for: its likelihood ratio at even prior odds. */
function ratioOf(fakeProbability: number): number {
  const likelier = Math.max(fakeProbability, 1 - fakeProbability);
  return roundedDown(Math.min(highestRatio, likelier / (1 - likelier)));
}

/** To two significant digits, never up: a ratio is a claim. */
function roundedDown(ratio: number): number {
  const step = 10 ** (Math.floor(Math.log10(ratio)) - 1);
  return Number((Math.floor(ratio / step + 1e-9) * step).toPrecision(2));
}
