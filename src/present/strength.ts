/**
 * How strongly an examination supports its class: a likelihood ratio, held down to what the measured error rates bear
 * out, or for a declaration a word by how far it can be believed, or for a changed part that of the strongest method.
 */

import type { Evidence } from '../contract/evidence.ts';
import {
  type Assurance,
  type Bilingual,
  type Strength,
  strengths,
} from '../contract/vocabulary.ts';
import { strengthOfAssurance, strengthOfRatio } from '../detectors/detector.ts';
import { traceNetwork } from '../detectors/trace-network.ts';
import { type SupportedRatio, supportedRatio } from '../engine/likelihood-ratio.ts';
import type { Examined } from '../engine/result.ts';
import type { WordedFinding } from './findings.ts';
import { createNumberWriter } from './numbers.ts';
import { nameIn, printable } from './printable.ts';
import { inBoth } from './report-item.ts';
import { bestDeclaration } from './result.ts';
import { wordsIn } from './wording/catalogue.ts';

type Cap = NonNullable<Evidence['cap']>;

interface MeasuredStrength {
  readonly strength: Strength;
  readonly ratio: number | null;
  readonly statement: Bilingual;
  readonly cap: Cap | null;
}

export function measureStrength(examined: Examined): MeasuredStrength {
  const { resultClass, basis } = examined.decision;
  if (resultClass !== 'real' && resultClass !== 'fake') {
    const why = resultClass === 'abstain' ? 'outside' : 'undecided';
    const statement = inBoth((language) => wordsIn(language).strength[why]);
    return { strength: 'none', ratio: null, statement, cap: null };
  }
  if (basis === 'declaration') return ofDeclaration(examined);
  return basis === 'localisation' ? ofChange(examined) : ofTraces(examined, resultClass);
}

/** A declaration has no measurable error rate: its forger decides how often it is wrong. */
function ofDeclaration({ provenance }: Examined): MeasuredStrength {
  const best = bestDeclaration(provenance)?.assurance ?? 'unsigned';
  const strength = strengthOfAssurance[best];
  return { strength, ratio: null, statement: wordDeclared(best, strength), cap: null };
}

function wordDeclared(assurance: Assurance, strength: Exclude<Strength, 'none'>): Bilingual {
  return inBoth((language) => {
    const { declared, adverbs } = wordsIn(language).strength;
    const spoken = declared.vouched[assurance](adverbs[strength]);
    return `${declared.head} ${spoken} ${declared.tail}`;
  });
}

/**
 * As strong as the strongest method that indicates the change, because the strength of single methods was measured: their
 * fusion was fitted on simulated changes, and its reliability was not measured.
 */
function ofChange({ findings, manipulation }: Examined): MeasuredStrength {
  const supporting = findings.filter(({ method }) => manipulation?.methods.includes(method));
  const steps = supporting.map(({ strength }) => strengths.indexOf(strength));
  const strength = strengths[Math.max(0, ...steps)]!;
  return { strength, ratio: null, statement: wordChanged(strength), cap: null };
}

function wordChanged(strength: Strength): Bilingual {
  return inBoth((language) => {
    const { changed, adverbs, sides } = wordsIn(language).strength;
    const spoken =
      strength === 'none'
        ? changed.none(sides.changed)
        : changed.stated(adverbs[strength], sides.changed);
    return `${changed.head} ${spoken} ${changed.tail}`;
  });
}

function ofTraces(examined: Examined, side: 'real' | 'fake'): MeasuredStrength {
  const stated = stateRatio(examined.decision.fakeProbability, side, examined);
  const { ratio, strength } = stated;
  return { strength, ratio, statement: wordTraced(stated), cap: toCap(stated, examined) };
}

interface StatedRatio {
  readonly side: 'real' | 'fake';
  /** What the probability alone would give. */
  readonly traced: number;
  readonly supported: SupportedRatio | null;
  /** The most that the measured error rates support; 1 where they support nothing. */
  readonly most: number;
  /** What is stated; null when nothing can be. */
  readonly ratio: number | null;
  readonly strength: Strength;
}

/** Every ratio of a result is rounded here, and nowhere again. */
function stateRatio(
  probability: number,
  side: 'real' | 'fake',
  { measured, options }: Examined,
): StatedRatio {
  const supported = supportedRatio(measured, options.decisionStrategy, side);
  const traced = toRatio(probability);
  const most = supported === null ? 1 : roundedDown(supported.ratio);
  const ratio = supported === null ? null : Math.min(traced, most);
  return { side, traced, supported, most, ratio, strength: strengthOfRatio(ratio ?? 1) };
}

function wordTraced({ side, strength, ratio, traced }: StatedRatio): Bilingual {
  return inBoth((language) => {
    const { plain } = createNumberWriter(language);
    const { traced: words, adverbs, sides } = wordsIn(language).strength;
    const name = sides[side];
    if (ratio === null) return words.unsupported(name);
    const stated =
      strength === 'none'
        ? words.none(name, plain(ratio))
        : words.stated(adverbs[strength], name, plain(ratio));
    return traced > ratio ? `${stated} ${words.bounded(plain(traced), plain(ratio))}` : stated;
  });
}

function toCap({ supported, most, side }: StatedRatio, { measured, options }: Examined): Cap {
  if (supported === null) {
    const why = measured.length > 0 ? 'halfMeasured' : 'unmeasured';
    const statement = inBoth((language) => wordsIn(language).strength[why]);
    return { ratio: most, strategy: null, condition: null, statement };
  }
  const { strategy, condition, right, rightOf, wrong, wrongOf, wrongAtMost } = supported;
  // The figures may be those of a looser strategy than the one that decided.
  const isLooser = strategy !== options.decisionStrategy;
  const statement = inBoth((language) => {
    const { count, rate, plain } = createNumberWriter(language);
    const { labels, strength } = wordsIn(language);
    const { of, looser, used, write, sides } = strength.cap;
    const figures = {
      right: `${count(right)} ${of} ${count(rightOf)}`,
      wrong: `${count(wrong)} ${of} ${count(wrongOf)}`,
      strategy: isLooser ? looser(strategy) : used(strategy),
      condition: nameIn(labels.validation.conditions, condition, printable(condition)),
      bound: rate(wrongAtMost),
      ratio: plain(most),
    };
    return write(figures, sides[side]);
  });
  return { ratio: most, strategy, condition, statement };
}

/**
 * The trace network's own word for its strength knows nothing of its error rates. Outside the validated domain it has no
 * meaning at all.
 */
export function boundedFinding(finding: WordedFinding, examined: Examined): WordedFinding {
  const { method, speaksFor, score } = finding;
  if (method !== traceNetwork.method || speaksFor === 'neither') return finding;
  const { decision } = examined;
  const { resultClass } = decision.byTraces ?? decision;
  if (resultClass === 'abstain') {
    const statement = inBoth((language) => wordsIn(language).strength.untested);
    return { ...finding, ...silent, statement };
  }
  const { strength } = stateRatio(score, speaksFor, examined);
  return { ...finding, ...(strength === 'none' ? silent : { strength }) };
}

const silent = { speaksFor: 'neither', strength: 'none' } as const;

/** Beyond this the calibration does not hold: it was fitted on some hundred pictures. */
const highestRatio = 1e6;

/** Odds of the side that a calibrated probability indicates: its likelihood ratio at even prior odds. */
function toRatio(fakeProbability: number): number {
  const likelier = Math.max(fakeProbability, 1 - fakeProbability);
  return roundedDown(Math.min(highestRatio, likelier / (1 - likelier)));
}

/** To two significant digits, never up: a ratio is a claim. */
function roundedDown(ratio: number): number {
  const step = 10 ** (Math.floor(Math.log10(ratio)) - 1);
  return Number((Math.floor(ratio / step + 1e-9) * step).toPrecision(2));
}
