/**
 * How strongly an examination speaks for its class: a likelihood ratio, held down to what the measured error rates bear
 * out, or for a declaration a word by how far it can be believed, or for a changed part that of the strongest method.
 */

import { type Finding } from '../detectors/finding.ts';
import { strengthOfAssurance, strengthOfRatio } from '../detectors/strength.ts';
import { traceNetwork } from '../detectors/trace-network.ts';
import type { Examined } from '../engine/result.ts';
import { type SupportedRatio, supportedRatio } from '../engine/supported-ratio.ts';
import type { Bilingual } from './bilingual.ts';
import {
  outside,
  undecided,
  writeCap,
  writeChanged,
  writeDeclared,
  writeNoCap,
  writeTraced,
} from './strength-words.ts';
import {
  type Assurance,
  type DecisionStrategy,
  type Strength,
  strengths,
} from '../contract/vocabulary.ts';

export interface Cap {
  /** Likelihood ratio, 1 or more. */
  readonly ratio: number;
  /** The strategy and the measured condition that it comes from; null when nothing usable was measured. */
  readonly strategy: DecisionStrategy | null;
  readonly condition: string | null;
  readonly statement: Bilingual;
}

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
export function boundedFinding(finding: Finding, examined: Examined): Finding {
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
