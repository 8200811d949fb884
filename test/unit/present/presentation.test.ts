import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { writeNotes } from '../../../src/present/findings.ts';
import { present, writeGroundInFull } from '../../../src/present/presentation.ts';
import { writeEvidence } from '../../../src/present/evidence.ts';
import { headsSuspicion, readAnswer, readResult } from '../../../src/present/result.ts';
import { noProvenance } from '../../../src/contract/provenance.ts';
import { wordsIn } from '../../../src/present/wording/catalogue.ts';
import { languages } from '../../../src/contract/vocabulary.ts';
import { altered, credentials, makeExamination, makeSuspected, ratios } from './examination.ts';

test('a picture that is not a photograph is called what it looks like, and why', () => {
  const examination = makeExamination({ resultClass: 'abstain', reasons: ['not_a_photograph'] });
  const [traces] = examination.findings;
  const statement = { code: 'looks_like', values: { kind: 'screenshot' } } as const;
  const likeness = { ...traces!, statement, measures: { isPhotograph: 0 } };

  const result = readResult({ ...examination, findings: [likeness] });

  expect(languages.map((language) => present(result, language).because)).toEqual([
    'The program classes the picture as a screenshot, not a photograph: a neural network trained on both finds its overall look closer to the former; it may be wrong.',
    'Das Programm hält das Bild nicht für eine Fotografie, sondern für ein Bildschirmfoto: Ein mit beidem trainiertes neuronales Netz ordnet es nach dem Gesamteindruck so ein; es kann sich irren.',
  ]);
});

test('a result without signs tells the picture from a file written again, by the gravest sign', () => {
  const result = readResult(makeExamination({ resultClass: 'real' }));
  const signed = { ...noProvenance, credentials: { ...credentials, integrity: 'broken' } } as const;
  const code = 'maker_note_missing_for_camera';
  const rewritten = { ...signed, inconsistencies: [{ code }] } as const;
  const told = [signed, rewritten].map((provenance) => present({ ...result, provenance }, 'en'));

  expect(told.map(({ headline }) => headline)).toEqual([
    'No sign of AI generation or change found in the picture',
    'No sign of AI generation or change found in the picture',
  ]);
  expect(told[0]?.because).toContain('The file no longer matches its signature');
  expect(told[1]?.because).toContain('or do not come from the camera');
});

test('several marked places are plural everywhere, for an examination and a server’s response', () => {
  const open = makeExamination({ resultClass: 'uncertain', reasons: ['manipulation_suspected'] });
  const region = { left: 10, top: 5, width: 40, height: 50, share: 0.06 };
  const places = [region, { ...region, left: 80 }].map((one) => ({
    region: one,
    methods: ['localisation-network'],
  }));
  const manipulation = { ...open.manipulation!, region, places };
  const changed = { ...open.decision, resultClass: 'fake', basis: 'localisation' } as const;

  for (const [decision, headline] of [
    [open.decision, 'Changes suspected in several parts, but not established'],
    [changed, 'Signs that several parts of the picture were changed'],
  ] as const) {
    const examination = { ...open, decision, manipulation };
    const answer = readAnswer(decision.resultClass, writeEvidence(examination), [], []);
    for (const result of [readResult(examination), answer]) {
      expect(present(result, 'en').headline).toBe(headline);
      expect(present(result, 'en').because).toMatch(/^Several parts/);
    }
  }
});

test('a word that stands out is called a word, and not given the error rate of photographs', () => {
  const suspected = makeSuspected();
  const unchanged = { pictures: 166, called: 1, suspected: 4 };
  const measuredCalls = suspected.measuredCalls.map((calls) => ({ ...calls, unchanged }));
  const base = { ...suspected, measuredCalls };
  const region = { left: 10, top: 5, width: 40, height: 12, share: 0.01 };
  const told = ['changed-words', 'localisation-network'].map((method) => {
    const places = [{ region, methods: [method] }];
    return readResult({ ...base, manipulation: { ...base.manipulation!, region, places } });
  });

  for (const language of languages) {
    const [word, part] = told.map((result) => present(result, language));
    expect(word!.because).toMatch(/^(?:A word or number|Ein Wort oder eine Zahl) /);
    expect([word!.errorRate, word!.errorRateBriefly]).toEqual(['', '']);
    expect(part!.errorRate).not.toBe('');
    expect(part!.errorRateBriefly).not.toBe('');
  }
});

test('damage alone is not headed as a suspected change, for an examination and a server’s response', () => {
  const base = makeSuspected();
  const region = { left: 10, top: 140, width: 14, height: 10, share: 0.01 };
  const facts = { ...base.facts, soundShare: 0.95 };
  const headsOf = (...regions: readonly (typeof region)[]) => {
    const places = regions.map((one) => ({ region: one, methods: ['copy-move'] }));
    const examination = { ...base, facts, manipulation: { ...base.manipulation!, region, places } };
    const answer = readAnswer('uncertain', writeEvidence(examination), [], []);
    return [readResult(examination), answer].flatMap((result) =>
      languages.map((language) => present(result, language).headline),
    );
  };
  const headlines = languages.map((language) => wordsIn(language).outcome.headlines);

  const damaged = headlines.map((words) => words.damaged);
  expect(headsOf(region)).toEqual([...damaged, ...damaged]);
  const suspected = headlines.map((words) => words.copySuspected);
  expect(headsOf(region, { ...region, top: 20 })).toEqual([...suspected, ...suspected]);
});

test('a suspicion that all methods together do not support is headed by isolated signs', () => {
  const base = makeSuspected();
  const region = { left: 10, top: 40, width: 14, height: 10, share: 0.01 };
  const places = [10, 80].map((left) => {
    return { region: { ...region, left }, methods: ['copy-move'] };
  });
  const [calls] = base.measuredCalls;
  const examinationAt = (probability: number) => ({
    ...base,
    measuredCalls: [{ ...calls!, ratios: { ...ratios, prior: 0.5 } }],
    manipulation: { ...base.manipulation!, probability, region, places },
  });
  for (const language of languages) {
    const { headlines, short } = wordsIn(language).outcome;
    for (const probability of [0.05, 0.4, 0.6, 0.7]) {
      const examination = examinationAt(probability);
      const evidence = writeEvidence(examination);
      const weighed = evidence.weighed?.find(({ question }) => question === 'changed');
      const results = [readResult(examination), readAnswer('uncertain', evidence, [], [])];
      for (const result of results) {
        const { headline, short: brief } = present(result, language);
        const isSupported = weighed?.side === 'fake' && weighed.strength !== 'none';
        expect(isSupported).toBe(probability === 0.7);
        expect(headsSuspicion(result)).toBe(isSupported);
        expect(headline).toBe(isSupported ? headlines.copySuspected : headlines.isolated(true));
        expect(brief).toBe(isSupported ? short.manipulation_suspected : short.isolated);
      }
    }
  }
});

test('a place that no single method marks is called uncertain', () => {
  const region = { left: 10, top: 5, width: 40, height: 50, share: 0.06 };
  const examination = altered(makeExamination(), {
    manipulation: { region, places: [{ region, methods: [] }] },
    decision: { basis: 'localisation' },
  });
  const answer = readAnswer('fake', writeEvidence(examination), [], []);

  for (const result of [readResult(examination), answer]) {
    expect(present(result, 'en').because).toMatch(/^Something in the picture .* is uncertain/);
    expect(present(result, 'de').because).toMatch(/^Etwas im Bild .* ist unsicher/);
  }
});

test('a truncated file is not said to have all its rows', () => {
  const notes = ['end_marker_missing', 'rows_missing'] as const;

  expect(writeNotes({ notes, soundShare: 0.931 }, 'en')).toEqual([
    'the file is cut off or damaged: only the first 93.1% of the rows are intact',
  ]);
});

test.each([
  { subClasses: [2], headline: 'Signs that part of the picture was changed', because: /^One part/ },
  {
    subClasses: [1],
    headline: 'The file says that AI generated the picture',
    because: /^The flagging tier /,
  },
  // The verdict may rest on traces or a declaration; the response does not say which.
  { subClasses: [0], headline: 'Signs of AI generation found', because: /^The flagging tier / },
])(
  'without evidence, a response of subclass $subClasses claims no more than it states',
  (expected) => {
    const answer = present(readAnswer('fake', null, [], expected.subClasses), 'en');

    expect(answer.headline).toBe(expected.headline);
    expect(answer.because).toMatch(expected.because);
  },
);

test.each([
  [
    'real',
    /According to its metadata, the file was saved with Adobe Photoshop;/,
    /Laut Metadaten wurde die Datei mit Adobe Photoshop gespeichert;/,
  ],
  ['uncertain', /too weak .* saved with Adobe/, /zu schwach.* mit Adobe Photoshop gespeichert/],
  ['abstain', /^(?!.*Photoshop)/, /^(?!.*Photoshop)/],
] as const)('a file of result %s names an editing program', (resultClass, english, german) => {
  const base = makeExamination({ resultClass, reasons: ['evidence_below_threshold'] });
  const software = [{ kind: 'editor', name: 'Adobe Photoshop', place: 'exif' }] as const;
  const examination = altered(base, { provenance: { software } });
  const answer = readAnswer(resultClass, writeEvidence(examination), [], []);

  for (const result of [readResult(examination), answer]) {
    expect(writeGroundInFull(result, 'en')).toMatch(english);
    expect(writeGroundInFull(result, 'de')).toMatch(german);
  }
});

test('without evidence, an open result says where its reason is, and what to do next', () => {
  for (const verdict of ['uncertain', 'abstain'] as const) {
    const { because, next, short } = present(readAnswer(verdict, null, [], []), 'en');

    expect(because).toMatch(/^The flagging tier /);
    expect(next).toMatch(/^Get the forensic report /);
    expect(short).toBe('reason in the report');
  }
});

test('a result that says nothing about changes does not say that no part stands out', () => {
  const result = { ...readAnswer('real', null, [], []), changesFound: { found: 1, of: 100 } };

  const { headline, short } = present(result, 'en');

  expect(headline).toBe('No sign of AI generation found; changes cannot be judged');
  expect(short).toBe('changes not judged');
});

const heldOut = new URL('../../../models/locate-1/held-out.csv', import.meta.url);
const [, ...rows] = readFileSync(heldOut, 'utf8').trim().split('\n');
const lines = rows.map((line) => line.split(','));

test.each(['"as is"', '"jpeg 75"'])(
  'even changed pictures whose change is missed mostly score above weak evidence against it: %s',
  (condition) => {
    const missed = lines.filter(
      ([of, label, , , outcome]) => of === condition && label === 'so' && outcome === 'none',
    );
    const above = missed.filter(([, , , ratio]) => Number(ratio) > -Math.log(2));

    expect(missed.length).toBeGreaterThan(50);
    expect(above.length / missed.length).toBeGreaterThan(0.7);
  },
);
