import { describe, expect, test } from 'vitest';
import { decisionStrategies, type DecisionStrategy } from '../../../src/contract/vocabulary.ts';
import { createRandom } from '../../../src/engine/calibration.ts';
import { decide, needsStabilityTest } from '../../../src/engine/decide.ts';
import type { Decision } from '../../../src/detectors/result.ts';
import { createRegistry } from '../../../src/inference/registry.ts';

type DecisionInput = Parameters<typeof decide>[0];

const manifest = {
  thresholds: {
    fakeMin: { pedantic: 0.9, default: 0.8, relaxed: 0.7 },
    realMax: { pedantic: 0.1, default: 0.2, relaxed: 0.3 },
    traceMin: { pedantic: 0.6, default: 0.5, relaxed: 0.4 },
    compressionMax: { pedantic: 0.7, default: 0.8, relaxed: 0.9 },
    anomalyMax: { pedantic: 0.9, default: 0.95, relaxed: 1 },
  },
  compressedRegime: { from: 0.4, fakeMin: { pedantic: 0.99, default: 0.96, relaxed: 0.8 } },
  smallRegime: { below: 10_000, fakeMin: { pedantic: 0.98, default: 0.97, relaxed: 0.75 } },
  sizeRegime: null,
  localisation: {
    manipulatedMin: { pedantic: 0.9, default: 0.8, relaxed: 0.7 },
    suspectedMin: { pedantic: 0.4, default: 0.5, relaxed: 0.6 },
  },
};

const weak = { isStrong: false, isSuspectedAlone: false, isWord: false };
const clearSign = { isStrong: true, isSuspectedAlone: true, isWord: false };
const untouched: DecisionInput['change'] = { probability: 0.1, indicating: 0, ...weak };

const clear: DecisionInput = {
  pixels: 1_000_000,
  hasMissingRows: false,
  hasFullPatch: true,
  isPhotograph: true,
  predictions: { real: 0.1, fake: 0.9, compression: 0.2 },
  trace: 1,
  anomalyScore: 0.5,
  fakeProbability: 0.95,
  fakeUncertainty: 0.01,
  isUnstable: false,
  change: untouched,
  declaration: null,
};

function verdict(evidence: Partial<DecisionInput>, strategy: DecisionStrategy = 'default') {
  return decide({ ...clear, ...evidence }, manifest, strategy);
}

test('a clear case is decided, without reasons, and only fake has a sub-class', () => {
  const fake = { resultClass: 'fake', resultSubClasses: ['ai-generated'], reasons: [] };
  const real = { resultClass: 'real', resultSubClasses: [], reasons: [] };
  expect(verdict({})).toMatchObject(fake);
  expect(verdict({ fakeProbability: 0.05 })).toMatchObject(real);
});

test('the applied thresholds are reported', () => {
  expect(verdict({}, 'pedantic').thresholds).toEqual({
    fakeMin: 0.9,
    realMax: 0.1,
    traceMin: 0.6,
    compressionMax: 0.7,
    anomalyMax: 0.9,
    minDeviations: 2.576,
    manipulatedMin: 0.9,
    suspectedMin: 0.4,
  });
});

describe('a picture outside the validated domain is abstained from', () => {
  test.each<[string, Partial<DecisionInput>]>([
    ['too_small', { hasFullPatch: false }],
    ['too_compressed', { predictions: { real: 0.5, fake: 0.5, compression: 0.81 } }],
    ['no_usable_trace', { trace: 0.49 }],
    ['not_a_photograph', { isPhotograph: false }],
    ['outside_training_domain', { anomalyScore: 0.96 }],
  ])('as %s', (reason, evidence) => {
    expect(verdict(evidence)).toMatchObject({ resultClass: 'abstain', reasons: [reason] });
  });

  test('with every reason that applies, but without reasons for doubt', () => {
    const { reasons } = verdict({ hasFullPatch: false, isPhotograph: false, fakeProbability: 0.5 });

    expect(reasons).toEqual(['too_small', 'not_a_photograph']);
  });
});

describe('a picture inside the domain stays uncertain', () => {
  test.each<[readonly string[], Partial<DecisionInput>]>([
    [['evidence_below_threshold'], { fakeProbability: 0.79 }],
    [['evidence_below_threshold'], { fakeProbability: 0.21 }],
    [['margin_within_uncertainty'], { fakeUncertainty: 0.4 }],
    [['unstable_under_resaving'], { isUnstable: true }],
    [['margin_within_uncertainty', 'evidence_below_threshold'], { fakeProbability: 0.5 }],
  ])('because of %j', (reasons, evidence) => {
    expect(verdict(evidence)).toMatchObject({ resultClass: 'uncertain', reasons });
  });

  test('if the numbers are not finite', () => {
    expect(verdict({ fakeProbability: Number.NaN }).resultClass).toBe('uncertain');
  });
});

describe('a part that was changed', () => {
  const camera = { fakeProbability: 0.05 };
  const changed: DecisionInput['change'] = { ...untouched, probability: 0.85, indicating: 2 };
  const suspected = { resultClass: 'uncertain', reasons: ['manipulation_suspected'] };

  test('makes a picture fake whatever its traces indicate, and they are reported', () => {
    expect(verdict({ ...camera, change: changed })).toMatchObject({
      resultClass: 'fake',
      resultSubClasses: ['manipulated'],
      reasons: [],
      basis: 'localisation',
      byTraces: { resultClass: 'real', reasons: [] },
    });
  });

  test('of a generated picture is reported too', () => {
    const resultSubClasses = ['ai-generated', 'manipulated'];
    expect(verdict({ change: changed })).toMatchObject({ resultSubClasses, basis: 'traces' });
  });

  test('is not called if the picture is not a photograph, too small or without traces', () => {
    expect(verdict({ isPhotograph: false, change: changed }).resultClass).toBe('abstain');
    expect(verdict({ hasFullPatch: false, change: changed }).resultClass).toBe('abstain');
    expect(verdict({ trace: 0, change: changed }).resultClass).toBe('abstain');
  });

  test('is only suspected in a picture of less than 256 x 256 pixels', () => {
    const [least, smaller] = [256 * 256, 256 * 256 - 1].map((pixels) =>
      verdict({ ...camera, pixels, change: changed }),
    );

    expect(least!.resultSubClasses).toEqual(['manipulated']);
    expect(least!.thresholds['manipulatedMin']).toBeLessThan(1);
    const thresholds = { manipulatedMin: 1 };
    expect(smaller).toMatchObject({ ...suspected, thresholds, resultSubClasses: [] });
  });

  test('is only suspected if rows of a damaged file are missing', () => {
    const found = verdict({ ...camera, hasMissingRows: true, change: changed });

    expect(found).toMatchObject(suspected);
  });

  test.each<[string, DecisionInput['change'], readonly string[]]>([
    ['weak signs', { ...changed, probability: 0.6 }, []],
    [
      'one weak method with a high probability',
      { ...changed, indicating: 1 },
      ['single_weak_method'],
    ],
    ['no method on its own', { ...changed, indicating: 0 }, []],
  ])('is suspected by %s, which prevents a verdict of real', (_, change, more) => {
    const reasons = [...suspected.reasons, ...more];
    const open = { ...suspected, reasons, resultSubClasses: [], basis: 'traces' };
    expect(verdict({ ...camera, change })).toMatchObject(open);
  });

  test('is called on one method alone if it is more than weak', () => {
    const change = { ...changed, indicating: 1, isStrong: true };

    expect(verdict({ ...camera, change }).resultClass).toBe('fake');
  });

  test('is suspected if copies are clear, even if the fusion suspects nothing', () => {
    const change = { ...clearSign, probability: 0.19, indicating: 1 };

    for (const strategy of decisionStrategies) {
      expect(verdict({ ...camera, change }, strategy)).toMatchObject(suspected);
    }
  });

  test('that is only suspected affects neither a generated picture nor an abstention', () => {
    const change = { ...changed, probability: 0.6 };

    expect(verdict({ change })).toMatchObject({ resultClass: 'fake', reasons: [] });
    expect(verdict({ trace: 0, change }).reasons).toEqual(['no_usable_trace']);
  });

  test('is suspected at a word even where the traces cannot be judged', () => {
    const change = { ...clearSign, probability: 0.19, indicating: 1 };

    const document = { ...camera, isPhotograph: false };
    expect(verdict({ ...document, change }).reasons).toEqual(['not_a_photograph']);
    expect(verdict({ ...document, change: { ...change, isWord: true } })).toMatchObject(suspected);
  });
});

test('a small picture needs more to be called fake, and no more to be called real', () => {
  const small = { pixels: 9999 };

  const below = verdict({ ...small, fakeProbability: 0.96 });
  expect(below.reasons).toEqual(['evidence_below_threshold']);
  expect(verdict({ ...small, fakeProbability: 0.97 }).resultClass).toBe('fake');
  expect(verdict({ ...small, fakeProbability: 0.2 }).resultClass).toBe('real');
  expect(verdict({ pixels: 10_000, fakeProbability: 0.8 }).resultClass).toBe('fake');
});

test('with a size regime, the limits move apart with each halving, between its two sizes', () => {
  const sizes = { below: 1_000_000, downTo: 250_000 };
  const sizeRegime = { perHalving: Math.log(2), realPerHalving: Math.log(3), ...sizes };
  const rules = { ...manifest, smallRegime: null, sizeRegime };
  const limits = (pixels: number) => {
    const { fakeMin, realMax } = decide({ ...clear, pixels }, rules, 'default').thresholds;
    return [fakeMin!, realMax!];
  };
  // 0.8 corresponds to odds of 4 : 1, and 0.2 to odds of 1 : 4.
  for (const [pixels, fakeMin, realMax] of [
    [4_000_000, 4 / 5, 1 / 5],
    [1_000_000, 4 / 5, 1 / 5],
    [500_000, 8 / 9, 1 / 13],
    [250_000, 16 / 17, 1 / 37],
    [1000, 16 / 17, 1 / 37],
  ] as const) {
    expect(limits(pixels)[0]).toBeCloseTo(fakeMin, 12);
    expect(limits(pixels)[1]).toBeCloseTo(realMax, 12);
  }
});

test('if the limits for compressed and small pictures both apply, the higher one counts', () => {
  const predictions = { real: 0.1, fake: 0.9, compression: 0.4 };
  const both = { pixels: 9999, predictions, fakeProbability: 0.985 };

  expect(verdict(both, 'pedantic').thresholds['fakeMin']).toBe(0.99);
  expect(verdict(both, 'default').thresholds['fakeMin']).toBe(0.97);
});

test('a compressed picture needs more to be called fake, and no more to be called real', () => {
  const compressed = { real: 0.1, fake: 0.9, compression: 0.4 };

  const fake = verdict({ predictions: compressed });
  const real = verdict({ predictions: compressed, fakeProbability: 0.2 });

  expect(fake).toMatchObject({ resultClass: 'uncertain', reasons: ['evidence_below_threshold'] });
  expect(fake.thresholds['fakeMin']).toBe(0.96);
  expect(verdict({ predictions: compressed, fakeProbability: 0.96 }).resultClass).toBe('fake');
  expect(real.resultClass).toBe('real');
});

describe('the stability test is needed', () => {
  const camera = { fakeProbability: 0.05 };
  const unsigned = { subClass: 'ai-generated', isTrusted: false } as const;
  const trusted = { ...unsigned, isTrusted: true } as const;

  test.each<[string, boolean, Partial<DecisionInput>]>([
    ['for a verdict', true, {}],
    ['by no picture that is abstained from', false, { isPhotograph: false }],
    ['by no picture that is uncertain under the strategy', false, { fakeProbability: 0.75 }],
    ['for a verdict that stands beside a declaration', true, { declaration: unsigned }],
    ['for one that a trusted declaration outweighs', true, { ...camera, declaration: trusted }],
    ['by nothing else beside a declaration', false, { isPhotograph: false, declaration: unsigned }],
  ])('%s', (_, isNeeded, evidence) => {
    expect(needsStabilityTest({ ...clear, ...evidence }, manifest, 'default')).toBe(isNeeded);
  });

  test('under the loosest limits if it decides whether a declaration is contradicted, whatever the strategy', () => {
    const evidence = { ...clear, fakeProbability: 0.28, declaration: unsigned };

    expect(needsStabilityTest(evidence, manifest, 'pedantic')).toBe(true);
  });
});

describe('a file that declares itself to be generated', () => {
  const unsigned = { subClass: 'ai-generated', isTrusted: false } as const;
  const trusted = { subClass: 'ai-manipulated', isTrusted: true } as const;
  const predictions = { real: 0.9, fake: 0.1, compression: 0.2 };
  const indicatesCamera = { fakeProbability: 0.05, predictions };

  test('is believed if the traces decide nothing, whatever the reason', () => {
    const open = [{ fakeProbability: 0.5 }, { hasFullPatch: false }, { isPhotograph: false }];

    for (const evidence of open) {
      expect(verdict({ ...evidence, declaration: unsigned })).toMatchObject({
        resultClass: 'fake',
        resultSubClasses: ['ai-generated'],
        reasons: [],
        basis: 'declaration',
      });
    }
  });

  test('still reports what the traces alone would have decided', () => {
    const declared = verdict({ isPhotograph: false, declaration: unsigned });

    expect(declared.byTraces).toEqual({ resultClass: 'abstain', reasons: ['not_a_photograph'] });
    expect(verdict({ isPhotograph: false })).not.toHaveProperty('byTraces');
  });

  test.each([0.05, 0.28, 0.5, 0.75, 0.95])(
    "does not hide a flip: the traces' own outcome is still reported (%s)",
    (fakeProbability) => {
      for (const strategy of decisionStrategies) {
        const under = (declaration: DecisionInput['declaration']) => {
          const evidence = { ...clear, fakeProbability, declaration };
          // A picture whose verdict flips in every stability test.
          const isUnstable = needsStabilityTest(evidence, manifest, strategy);
          return decide({ ...evidence, isUnstable }, manifest, strategy);
        };

        const alone = under(null).resultClass;

        expect(under(unsigned).byTraces?.resultClass).toBe(alone);
        expect(under(trusted).byTraces?.resultClass).toBe(alone);
      }
    },
  );

  test('is not believed against traces of a camera, under any strategy, unless signed by a trusted signer', () => {
    for (const strategy of decisionStrategies) {
      expect(verdict({ ...indicatesCamera, declaration: unsigned }, strategy)).toMatchObject({
        resultClass: 'uncertain',
        resultSubClasses: [],
        reasons: ['declaration_contradicts_traces'],
      });
      expect(verdict({ ...indicatesCamera, declaration: trusted }, strategy)).toMatchObject({
        resultClass: 'fake',
        resultSubClasses: ['ai-manipulated'],
      });
    }
  });
});

describe.each(['the thresholds of this test', 'the packaged model'])('under %s', (which) => {
  test('a looser strategy decides like a stricter one, and none turns real into fake', async () => {
    const { localisation } = manifest;
    const packaged = { ...(await createRegistry().find(null)), localisation };
    const rules = which === 'the packaged model' ? packaged : manifest;
    const random = createRandom(5);
    const decided: Record<DecisionStrategy, number> = { pedantic: 0, default: 0, relaxed: 0 };

    for (let at = 0; at < 5000; at++) {
      const evidence: DecisionInput = {
        pixels: Math.floor(1_000_000 * random()),
        hasMissingRows: false,
        hasFullPatch: random() < 0.95,
        isPhotograph: random() < 0.95,
        predictions: { real: random(), fake: random(), compression: random() },
        trace: 2 * random(),
        anomalyScore: random(),
        fakeProbability: random(),
        fakeUncertainty: random() * 0.2,
        isUnstable: random() < 0.1,
        change: {
          probability: random(),
          indicating: Math.floor(3 * random()),
          isStrong: random() < 0.3,
          isSuspectedAlone: random() < 0.1,
          isWord: random() < 0.1,
        },
        declaration: randomDeclaration(random),
      };
      const under = (strategy: DecisionStrategy) => decide(evidence, rules, strategy).resultClass;
      const [pedantic, balanced, relaxed] = [under('pedantic'), under('default'), under('relaxed')];
      if (isDecided(pedantic)) expect(balanced).toBe(pedantic);
      if (isDecided(balanced)) expect(relaxed).toBe(balanced);
      decided.pedantic += isDecided(pedantic) ? 1 : 0;
      decided.default += isDecided(balanced) ? 1 : 0;
      decided.relaxed += isDecided(relaxed) ? 1 : 0;
    }

    expect(decided.pedantic).toBeGreaterThan(0);
    expect(decided.relaxed).toBeGreaterThan(decided.pedantic);
  });
});

function randomDeclaration(random: () => number): DecisionInput['declaration'] {
  if (random() < 0.7) return null;
  return { subClass: 'ai-generated', isTrusted: random() < 0.3 };
}

function isDecided(resultClass: Decision['resultClass']): boolean {
  return resultClass === 'real' || resultClass === 'fake';
}
