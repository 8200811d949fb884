import { describe, expect, test } from 'vitest';
import { languages, reasonCodes, stabilityChanges } from '../../../src/contract/vocabulary.ts';
import type { Finding } from '../../../src/detectors/detector.ts';
import type { Examination } from '../../../src/detectors/result.ts';
import type { MeasuredRates } from '../../../src/contract/manifest.ts';
import type { Declaration } from '../../../src/contract/provenance.ts';
import { writeEvidence } from '../../../src/present/evidence.ts';
import { present } from '../../../src/present/presentation.ts';
import { readAnswer, readResult } from '../../../src/present/result.ts';
import { writeTexts } from '../../../src/present/report-texts.ts';
import {
  altered,
  declaration,
  item,
  makeDeclared,
  makeExamination,
  makeSuspected,
  ratios,
} from './examination.ts';

const rates: MeasuredRates = {
  decided: 0.5,
  realCalledFake: 0,
  fakeCalledReal: 0.1,
  realCalledReal: 0.6,
  fakeCalledFake: 0.5,
};
const measured = makeExamination().measured.map((one) => {
  return { ...one, strategies: { pedantic: rates, default: rates, relaxed: rates } };
});

const finding: Finding = {
  method: 'some-method',
  score: 0.5,
  speaksFor: 'neither',
  strength: 'none',
  statement: { en: 'Nothing stands out.', de: 'Nichts fällt auf.' },
  measures: {},
  source: 'None.',
};

function decided(
  resultClass: 'real' | 'fake',
  fakeProbability: number,
  more: Partial<Examination> = {},
): Examination {
  const examination = { ...makeExamination({ resultClass }), measured, ...more };
  return { ...examination, decision: { ...examination.decision, fakeProbability } };
}

function declared(...declarations: readonly Declaration[]): Examination {
  return makeDeclared(decided('fake', 0.5), ...declarations);
}

function stabilityWith(flips: number) {
  const trials = stabilityChanges.map((change, at) => {
    return { change, fakeProbability: 0.5, isFlip: at < flips };
  });
  const stability = { holds: flips === 0, trials };
  return writeEvidence(decided('fake', 0.9, { stability })).stability!;
}

function named(method: string, more: Partial<Finding>): Finding {
  return { ...finding, method, ...more };
}

function strengthsOf(examination: Examination) {
  return writeEvidence(examination).findings.map(({ method, strength }) => [method, strength]);
}

describe('the strength of a verdict from traces', () => {
  test('is that of the probability if the error rates support it', () => {
    const { strength, ratio, cap, statement } = writeEvidence(decided('fake', 0.95));

    expect({ strength, ratio }).toEqual({ strength: 'moderate', ratio: 19 });
    expect(cap).toMatchObject({ ratio: 200, condition: 'as is' });
    expect(statement.en).toContain('moderate support for a generated picture');
    expect(statement.en).not.toContain('Taken by itself');
  });

  test('names the size of the picture where it counts, and outside the domain gives it no weight', () => {
    const size = named('picture-size', { score: 0.75, speaksFor: 'fake', strength: 'weak' });
    const sized = writeEvidence(decided('fake', 0.95, { findings: [size] }));
    const outside = makeExamination({ resultClass: 'abstain', reasons: ['not_a_photograph'] });

    expect(sized.statement.en).toContain('The traces in the picture, together with its size, are');
    expect(sized.statement.de).toContain('Die Spuren im Bild, zusammen mit seinem Format, sind');
    expect(strengthsOf(decided('fake', 0.95, { findings: [size] }))).toEqual([
      ['picture-size', 'weak'],
    ]);
    expect(strengthsOf({ ...outside, findings: [size] })).toEqual([['picture-size', 'none']]);
  });

  test('is no higher than the error rates support, and the statement says so', () => {
    const { strength, ratio, cap, statement } = writeEvidence(decided('real', 0.01));

    // 60% right over the upper bound of 28 of 277, 0.135958 by the beta distribution: 4.413.
    expect([strength, ratio, cap?.ratio]).toEqual(['weak', 4.4, 4.4]);
    expect(statement.en).toContain(
      'are 4.4 times as probable in a photograph as in a generated picture (likelihood ratio 4.4, capped: the tests were too small to support more)',
    );
    expect(statement.de).toContain(
      'bei einer Fotografie 4,4-mal so wahrscheinlich wie bei einem KI-erzeugten Bild (Likelihood-Quotient 4,4, begrenzt auf das, was die Tests stützen)',
    );
    expect(statement.de).toContain('das spricht schwach für eine Fotografie.');
    expect(cap?.statement.en).toContain(
      '733 of 1,221 photographs and 28 of 277 generated pictures',
    );
    expect(cap?.statement.de).toContain('733 von 1.221 Fotografien und 28 von 277 KI-erzeugten');
  });

  test('may rest on the figures of a looser strategy, which is then named', () => {
    const strict = { ...rates, fakeCalledFake: 0 };
    const few = [
      { ...measured[0]!, strategies: { pedantic: strict, default: rates, relaxed: rates } },
    ];
    const options = { decisionStrategy: 'pedantic', seed: 1337 } as const;

    const { ratio, cap } = writeEvidence(decided('fake', 0.95, { measured: few, options }));

    expect({ ratio, strategy: cap?.strategy }).toEqual({ ratio: 19, strategy: 'default' });
    expect(cap?.statement.en).toContain('strategy “default”, which agrees with every decision');
    expect(cap?.statement.de).toContain(
      'Strategie „default“; wo eine strengere Strategie entscheidet, entscheidet sie ebenso',
    );
  });

  test('cannot be stated for an unmeasured model, and the reason is given', () => {
    const { strength, ratio, cap, statement } = writeEvidence(
      decided('fake', 0.999, { measured: [] }),
    );

    expect([strength, ratio, cap?.condition]).toEqual(['none', null, null]);
    expect(statement.en).toContain('it is not possible to say how strongly');
    expect(cap?.statement.en).toContain('No error rates were measured');
  });

  test('stays finite, for JSON, when the probability is one', () => {
    const none = { ...rates, fakeCalledFake: 1 };
    const many = { ...measured[0]!, real: 100_000_000 };
    const flawless = { ...many, strategies: { pedantic: none, default: none, relaxed: none } };

    const { ratio } = writeEvidence(decided('fake', 1, { measured: [flawless] }));

    expect(ratio).toBe(1_000_000);
  });
});

describe('the strength of a declaration', () => {
  test.each([
    ['unsigned', 'weak', 'anyone can write such an entry into a file'],
    ['signed', 'moderate', 'not established that this signer'],
    ['trusted', 'strong', 'from the list of trusted signers'],
  ] as const)('that is %s is %s', (assurance, strength, words) => {
    const evidence = writeEvidence(declared({ ...declaration, assurance }));

    expect(evidence).toMatchObject({ basis: 'declaration', strength, ratio: null, cap: null });
    expect(evidence.statement.en).toContain(words);
  });

  test('is that of the best-assured one, ignoring declarations of a capture', () => {
    const captured = { ...declaration, origin: 'captured', assurance: 'trusted' } as const;

    const trusted = { ...declaration, assurance: 'trusted' } as const;
    const [weak, strong] = [declared(declaration, captured), declared(declaration, trusted)];

    expect([weak, strong].map((one) => writeEvidence(one).strength)).toEqual(['weak', 'strong']);
  });
});

test('an uncertain result has no strength, but every reason with advice, in sentences', () => {
  const open = makeExamination({ resultClass: 'uncertain', reasons: reasonCodes });
  const evidence = writeEvidence(open);

  expect(evidence).toMatchObject({ strength: 'none', ratio: null, cap: null });
  expect(evidence.reasons.map(({ code }) => code)).toEqual(reasonCodes);
  for (const { statement, help } of evidence.reasons) {
    for (const text of [statement.en, statement.de, help.en, help.de]) {
      expect(text).toMatch(/^\p{Lu}.*[^.]\.$/u);
    }
  }
});

describe('findings', () => {
  test('are ranked by strength, then by whether they support a side, then in their own order', () => {
    const findings = [
      named('silent', {}),
      named('weak', { speaksFor: 'fake', strength: 'weak' }),
      named('strong', { speaksFor: 'real', strength: 'strong' }),
      named('weak too', { speaksFor: 'real', strength: 'weak' }),
      named('weak for nothing', { strength: 'weak' }),
    ];

    const ranked = ['strong', 'weak', 'weak too', 'weak for nothing', 'silent'];
    const methods = strengthsOf(decided('fake', 0.9, { findings })).map(([method]) => method);
    expect(methods).toEqual(ranked);
  });

  const strong = { score: 0.999, speaksFor: 'fake', strength: 'moderatelyStrong' } as const;
  const traces = named('trace-network', strong);

  test('of the trace network are no stronger than its error rates support', () => {
    const [measure] = measured;
    const few = [{ ...measure!, real: 40 }];

    expect(strengthsOf(decided('fake', 0.999, { findings: [traces], measured: few }))).toEqual([
      ['trace-network', 'weak'],
    ]);
    expect(strengthsOf(decided('fake', 0.999, { findings: [traces] }))).toEqual([
      ['trace-network', 'moderatelyStrong'],
    ]);
  });

  test('of the trace network support neither side outside the validated domain, whatever decided', () => {
    const byTraces = { resultClass: 'abstain', reasons: ['not_a_photograph'] } as const;
    const abstained = makeExamination(byTraces);
    const declaredDrawing = declared(declaration);
    const decision = { ...declaredDrawing.decision, byTraces };

    for (const examination of [abstained, { ...declaredDrawing, decision }]) {
      const [only] = writeEvidence({ ...examination, measured, findings: [traces] }).findings;

      expect(only).toMatchObject({ speaksFor: 'neither', strength: 'none', score: 0.999 });
    }
  });

  test('contain no infinite or missing numbers, for JSON', () => {
    const measures = { fine: 1, lost: Number.NaN, endless: Number.POSITIVE_INFINITY };

    const findings = [{ ...finding, measures }];
    const [only] = writeEvidence(decided('fake', 0.9, { findings })).findings;

    expect(only?.measures).toEqual({ fine: 1 });
  });
});

test('the stability test lists every change and counts those that lead to the other side', () => {
  expect(stabilityWith(0).trials.map(({ change }) => change)).toEqual(stabilityChanges);
  expect(new Set(stabilityWith(0).trials.map(({ label }) => label.de)).size).toBe(5);
  expect(stabilityWith(0).statement.en).toContain(
    're-saved, scaled or cropped in 5 ways: after 5 they are undecided;',
  );
  expect(stabilityWith(1).statement.de).toMatch(
    /auf 5 Arten .* 4 .* und weisen in 1 dieser Fälle in die andere/,
  );
});

describe('a picture with a changed part', () => {
  const base = makeExamination();
  const region = { left: 100, top: 90, width: 80, height: 50, share: 0.123 };
  const findingBy = (method: string, strength: 'weak' | 'moderate') => {
    return { ...base.findings[0]!, method, strength };
  };
  const byTraces = { resultClass: 'real', reasons: [] } as const;
  const findings = [findingBy('noise-level', 'weak'), findingBy('copy-move', 'moderate')];
  const changed = altered(
    { ...base, findings },
    {
      manipulation: { probability: 0.97, region, methods: ['noise-level', 'copy-move'] },
      decision: { basis: 'localisation', resultSubClasses: ['manipulated'], byTraces },
    },
  );

  test('is as strong as the strongest of its methods, and states no ratio', () => {
    const { strength, ratio, cap, statement } = writeEvidence(changed);

    expect({ strength, ratio, cap }).toEqual({ strength: 'moderate', ratio: null, cap: null });
    expect(statement.en).toContain('provides moderate support for');
    expect(statement.de).toContain('spricht mäßig für');
  });

  test('states share, place and probability of the change in both languages', () => {
    const { manipulation } = writeEvidence(changed);

    expect(manipulation).toMatchObject({ probability: 0.97, region });
    expect(manipulation?.statement).toEqual({
      en: 'The methods that look for changed parts mark a region of 12% of the picture, in the lower right; together they estimate the probability that a part was changed at 0.97.',
      de: 'Die Methoden, die nach veränderten Stellen suchen, markieren einen Bereich von 12 % des Bildes, rechts unten; die Wahrscheinlichkeit, dass ein Teil verändert wurde, schätzen sie zusammen auf 0,97.',
    });
  });

  test('that is merely suspected is described with its place', () => {
    const { decision } = makeSuspected();

    const [en, de] = languages.map((language) =>
      writeTexts({ ...changed, decision }, item, language),
    );

    expect(en?.summary).toMatch(/12% of the picture, in the lower right.* was changed at 0\.97/);
    expect(en?.summary).not.toContain('generated or altered is');
    expect(de?.summary).toMatch(/rechts unten.*, schätzen sie zusammen auf 0,97/);
  });

  test('with several places uses the numbers that every page gives them', () => {
    const other = { left: 0, top: 0, width: 20, height: 20, share: 0.05 };
    const places = [
      { region, methods: ['noise-level'] },
      { region: other, methods: ['copy-move'] },
    ];
    const several = altered(changed, { manipulation: { places } });
    const numbered =
      '1: in the lower right, 12% of the picture; 2: in the upper left, 5% of the picture';

    expect(writeEvidence(several).manipulation?.statement.en).toContain(`(${numbered})`);
    const { because } = present(readResult(several), 'en');
    expect(because).toContain(`Several parts (${numbered}) differ from the rest`);
  });

  test('has a finding that gives the place of its mark', () => {
    const values = { place: 'right', share: 0.09 } as const;
    const statement = { code: 'region_processed_apart', values } as const;
    const marking = { ...findingBy('localisation-network', 'moderate'), statement };
    const places = [{ region, methods: ['localisation-network'] }];
    const marked = altered({ ...changed, findings: [marking] }, { manipulation: { places } });

    expect(writeEvidence(marked).findings[0]?.statement.en).toContain(
      'marks a region in the lower right: ',
    );
  });
});

test('the headline of a declared picture says whether the whole picture or parts were generated', () => {
  const inParts = { ...declaration, origin: 'ai-manipulated' } as const;

  const headlines = [[declaration, inParts], [inParts]].map(
    (declarations) => present(readResult(declared(...declarations)), 'en').headline,
  );

  expect(headlines).toEqual([
    'The file says that AI generated the picture',
    'The file says that AI generated parts of the picture',
  ]);
});

const ofChanges = { ...ratios, prior: 0.2 };
const examinationFor = (
  fakeProbability: number,
  changed: number,
  resultClass: Examination['decision']['resultClass'],
) => {
  const parts = { decision: { fakeProbability }, manipulation: { probability: changed } };
  const base = altered(makeExamination({ resultClass }), parts);
  return {
    ...base,
    measured: base.measured.map((one) => ({ ...one, ratios: { ...ratios, prior: 0.5 } })),
    measuredCalls: base.measuredCalls.map((one) => ({ ...one, ratios: ofChanges })),
  };
};
const evidenceFor = (...given: Parameters<typeof examinationFor>) =>
  writeEvidence(examinationFor(...given));

describe('a likelihood ratio for each question', () => {
  test('is stated for an uncertain result, and supports neither side below two', () => {
    const { strength, ratio, weighed, statement } = evidenceFor(0.58, 0.25, 'uncertain');

    expect({ strength, ratio }).toEqual({ strength: 'none', ratio: null });
    expect(weighed).toMatchObject([
      { question: 'generated', side: 'fake', ratio: 1.3, strength: 'none' },
      { question: 'changed', side: 'fake', ratio: 1.3, strength: 'none' },
    ]);
    expect(statement.en).toContain('neither a photograph nor a generated picture');
    expect(statement.de).toContain('weder für noch gegen eine Veränderung');
  });

  test('never exceeds what held-out pictures support', () => {
    const { weighed, cap } = evidenceFor(0.001, 0.99, 'real');

    expect(weighed).toMatchObject([
      { question: 'generated', side: 'real', ratio: 20, strength: 'moderate' },
      { question: 'changed', side: 'fake', ratio: 25, strength: 'moderate' },
    ]);
    expect(cap).toMatchObject({ ratio: 20, condition: 'as is' });
    expect(cap?.statement.en).toContain('ELUB');
  });

  test('of a change is not stated for a damaged file, which was not tested', () => {
    const whole = examinationFor(0.1, 0.5, 'real');
    const { weighed } = writeEvidence(altered(whole, { facts: { soundShare: 0.95 } }));

    expect(weighed?.map(({ question }) => question)).toEqual(['generated']);
  });

  test('of a change assumes one changed picture in five', () => {
    const [, changed] = evidenceFor(0.1, 0.5, 'real').weighed!;

    expect(changed).toMatchObject({ side: 'fake', ratio: 4, strength: 'weak' });
  });

  test('of a change from two on is named in the answer, if nothing is suspected', () => {
    const base = examinationFor(0.05, 0.4, 'real');
    const region = { left: 0, top: 8, width: 40, height: 24, share: 0.03 };
    const hinted = altered(base, { manipulation: { region } });
    const answered = readAnswer('real', writeEvidence(hinted), [], []);
    const plain = examinationFor(0.05, 0.3, 'real');

    for (const result of [readResult(hinted), answered]) {
      const { headline, because, short, further } = present(result, 'en');
      expect(headline).toBe('No sign of AI generation; at most a slight hint of a change');
      expect(because).toContain('too slightly for a suspicion');
      expect(short).toBe('hint of a change');
      expect(further.join(' ')).toContain('Ask for the original file as it was first stored');
    }
    expect(readResult(hinted).areas).toHaveLength(1);
    expect(present(readResult(plain), 'en').headline).toContain('generation or change');
  });

  test('that would have been enough is stated for an open result', () => {
    const reasons = ['evidence_below_threshold'] as const;
    const open = makeExamination({ resultClass: 'uncertain', reasons });

    expect(writeEvidence(open).reasons[0]?.statement.en).toContain(
      'the method decides only at a ratio of 3.2 or more for a photograph, or 4.6 for a generated picture.',
    );
  });

  test('is not stated outside the validated range', () => {
    expect(evidenceFor(0.9, 0.9, 'abstain').weighed).toEqual([]);
  });
});

test('an open case that names a Google generator is first to be checked for SynthID', () => {
  const reasons = ['declaration_contradicts_traces'] as const;
  const open = readResult(makeExamination({ resultClass: 'uncertain', reasons }));
  const declarations = [{ ...declaration, generator: 'Google AI' }];
  const google = { ...open, provenance: { ...open.provenance!, declarations } };

  expect(present(google, 'en').next).toMatch(/SynthID.* hands it to Google\.$/);
  expect(present(google, 'de').next).toMatch(/SynthID.* geht damit an Google\.$/);
  expect(present(open, 'en').next).not.toContain('SynthID');
});

test('a result without signs says first if changes can hardly be seen, also from a server', () => {
  const base = makeExamination({ resultClass: 'real' });
  const [calls] = base.measuredCalls;
  const called = { changed: 1, photographs: 0 };
  const strategies = { pedantic: called, default: called, relaxed: called };
  const blind = { ...base, measuredCalls: [{ ...calls!, changed: 150, strategies }] };
  const answered = readAnswer('real', writeEvidence(blind), [], []);

  for (const result of [readResult(blind), answered]) {
    const { headline, because } = present(result, 'en');
    expect(headline).toBe('No sign of AI generation found; changes cannot be judged');
    expect(because).toContain('so finding no change means nothing');
  }
  expect(present(readResult(blind), 'en').errorRate).not.toContain('In a second test');
});

test('a result without signs says how much is found, by size and kind of change', () => {
  const base = makeExamination({ resultClass: 'real' });
  const small = { ...base.measuredCalls[0]!, megapixels: { from: 0, below: 1.5 }, changed: 84 };
  const kinds = [{ kind: 'copy-move', pictures: 19, called: 6, suspected: 3 }] as const;
  const unchanged = { pictures: 166, called: 1, suspected: 4 };
  const evidence = writeEvidence({
    ...base,
    measuredCalls: [{ ...base.measuredCalls[0]!, kinds, unchanged }, small],
  });

  expect(evidence.changesFound).toEqual({ found: 42, of: 84 });
  expect(evidence.errorRate?.en).toBe(
    'In tests with pictures as published (the tested condition nearest to this file), the test for AI generation recognised 97 of 277 generated pictures, left 147 undecided and mistook 33 for photographs. False alarms (rate, and upper end of its 95% confidence interval): 22 of 1,221 photographs called generated (1.8%, up to 2.7%). The search for changes recognised 42 of 84 changed pictures below 1.5 megapixels (suspicions not counted). False alarms: 1 of 166 unchanged pictures of all sizes called changed (0.6%, up to 3.3%). In a second test, with 19 pictures of all sizes, changed by people, it found or suspected 9 of 19 parts copied within the picture; false alarms, suspicions counted: 5 of 166 unchanged pictures.',
  );
});

test('a change states how often unchanged pictures of every size are called changed, if counted', () => {
  const base = makeExamination({ resultClass: 'fake' });
  const all = { ...base.measuredCalls[0]!, unchanged: { pictures: 166, called: 1, suspected: 4 } };
  const small = { ...base.measuredCalls[0]!, megapixels: { from: 0, below: 1.5 }, photographs: 37 };
  const decision = { ...base.decision, basis: 'localisation' } as const;
  const result = readResult({ ...base, decision, measuredCalls: [all, small] });

  expect(present(result, 'en').errorRateBriefly).toBe(
    'In tests, mistook 1 of 166 unchanged pictures for changed ones.',
  );
  expect(present(result, 'en').errorRate).toContain('1 of 166 unchanged pictures');
});

test('a suspicion states how often it is right and wrong, unless only another strategy was counted', () => {
  const base = makeSuspected();
  const kinds = [{ kind: 'splice', pictures: 118, called: 31, suspected: 18 }] as const;
  const unchanged = { pictures: 166, called: 1, suspected: 4 };
  const examination: Examination = {
    ...base,
    measuredCalls: [{ ...base.measuredCalls[0]!, kinds, unchanged }],
  };
  const options = { ...base.options, decisionStrategy: 'pedantic' } as const;

  expect(writeEvidence(examination).errorRate?.en).toBe(
    'In tests with pictures of all sizes as published (the tested condition nearest to this file), the search found or suspected a change in 49 of 118 pictures changed by people. False alarms (rate, and upper end of its 95% confidence interval): 5 of 166 unchanged pictures (3.0%, up to 6.9%).',
  );
  expect(present(readResult(examination), 'de').errorRateBriefly).toBe(
    '5 von 166 unveränderten Bildern zu Unrecht als verdächtig eingestuft.',
  );
  expect(writeEvidence({ ...examination, options }).errorRate?.en).not.toContain('166');
});
