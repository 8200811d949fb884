import { describe, expect, test } from 'vitest';
import {
  type Language,
  languages,
  reasonCodes,
  resultClasses,
} from '../../../src/contract/vocabulary.ts';
import { detectors } from '../../../src/detectors/list.ts';
import { findingsIn } from '../../../src/engine/localisation.ts';
import type { Examination } from '../../../src/detectors/result.ts';
import {
  noProvenance,
  type StoredWarning,
  type Warning,
} from '../../../src/contract/provenance.ts';
import { pictureNotes } from '../../../src/image/picture.ts';
import { writeNeededRatios } from '../../../src/present/evidence.ts';
import type { ReportItem } from '../../../src/present/report-item.ts';
import type { Block, Section } from '../../../src/present/sections/blocks.ts';
import { writeFirstPage, writeSections } from '../../../src/present/sections/sections.ts';
import { wordFinding, writeNextStep, writeWarnings } from '../../../src/present/findings.ts';
import { capitalised } from '../../../src/present/text.ts';
import { inputWith } from '../detectors/input.ts';
import { openWriting, writeTexts } from '../../../src/present/report-texts.ts';
import manifest from '../../../models/trace-3/manifest.json' with { type: 'json' };
import { wordsIn } from '../../../src/present/wording/catalogue.ts';
import {
  altered,
  credentials,
  item,
  makeExamination,
  makePicture,
  makeSuspected,
  seen,
  seenByCamera,
} from './examination.ts';
import { full, fullItem } from './full-report.ts';

const heatmapDigests = {
  real: '1'.repeat(64),
  fake: '2'.repeat(64),
  compression: '3'.repeat(64),
  anomaly: '4'.repeat(64),
};

function signed(base: Examination, own: Partial<typeof credentials> = {}): Examination {
  return altered(base, { provenance: { credentials: { ...credentials, ...own } } });
}

/** By this part of the examination; the traces alone would give `resultClass`. */
function decidedBy(
  basis: 'declaration' | 'localisation',
  resultClass: 'real' | 'fake' | 'uncertain',
): Examination {
  return altered(makeExamination(), {
    decision: { basis, byTraces: { resultClass, reasons: [] } },
  });
}

describe.each(languages)('sections in %s', (language) => {
  const words = openWriting(makeExamination(), item, language).catalogue;
  const { head } = words.document;
  const { because, headlines, next } = words.outcome;
  const sectionsOf = (examination = makeExamination(), own: Partial<ReportItem> = {}) =>
    writeSections({ examination, item: { ...item, ...own }, language, heatmapDigests });
  const allOf = (...given: Parameters<typeof sectionsOf>) =>
    stringsOf(sectionsOf(...given)).join('\n');
  const pageOf = (...given: Parameters<typeof sectionsOf>) =>
    stringsOf(sectionsOf(...given).slice(0, 1)).join('\n');
  const expectPage = (of: Examination, has: readonly string[], lacks?: readonly string[]) =>
    expectTexts(pageOf(of), has, lacks);

  test('are complete for every class with every reason', () => {
    for (const resultClass of resultClasses) {
      const sections = sectionsOf(makeExamination({ resultClass, reasons: reasonCodes }));

      const { metadata: _, seenBefore: __, evaluation, ...always } = words.labels.sections;
      const titles = sections.map(({ title }) => title.replace(/^\w+ {2}/, ''));
      expect(titles.filter((title) => title !== evaluation)).toEqual(Object.values(always));
      // There is nothing to evaluate about a picture that cannot be judged.
      expect(titles.includes(evaluation)).toBe(resultClass !== 'abstain');
      for (const text of stringsOf(sections)) {
        expect(text).not.toMatch(/undefined|null|NaN|\[object|\$\{/);
        expect(text.trim()).not.toBe('');
      }
    }
  });

  test('state the smallest picture that gets an answer', () => {
    const smallest = manifest.input.cellPx * manifest.input.patchCells;

    expect(allOf()).toContain(`${smallest} × ${smallest} `);
  });

  test('start with a page that states no probability', () => {
    const examination = makeExamination({ resultClass: 'uncertain' });
    const values = { probability: 0.8765, spread: 0.01, patches: 40 };
    const statement = { code: 'generated_with_probability', values } as const;
    const weak = { score: 0.8765, speaksFor: 'fake', strength: 'weak' } as const;
    const traces = { ...examination.findings[0]!, ...weak, statement };
    const [first, ...others] = sectionsOf({ ...examination, findings: [traces] });
    const page = stringsOf([first!]).join('\n');

    expect(page).not.toMatch(/0[.,]88/);
    expect(stringsOf(others).join('\n')).toMatch(/0[.,]88/);
    expect(page).toContain(head.traces.fake);
  });

  test('count a size that generators use for generation, never for a suspected change', () => {
    const size = {
      method: 'picture-size',
      speaksFor: 'fake',
      strength: 'weak',
      score: 5 / 6,
      statement: { en: 'A size.', de: 'Ein Format.' },
      measures: { likelihoodRatio: 5 },
      source: '',
    } as const;
    const sized = (examination: Examination) => {
      return { ...examination, findings: [...examination.findings, size] };
    };
    const named = size.statement[language];

    expectPage(sized(makeExamination()), [named, because.fake(true)]);
    expectPage(sized(makeSuspected()), [], [named]);
    expectPage(sized(makeExamination({ resultClass: 'uncertain' })), [named]);
  });

  test('say that in a picture below 65,536 pixels, or truncated, a change is only ever suspected', () => {
    const suspected = makeSuspected();
    const thresholds = { ...suspected.decision.thresholds, manipulatedMin: 1 };
    const small = altered(suspected, { decision: { thresholds } });
    const damaged = altered(small, { facts: { notes: ['rows_missing'], soundShare: 0.95 } });
    const ofDamage = [head.damageCaps, head.untestedOnDamage];

    expectPage(suspected, [], [words.verdict.onlySuspected.small]);
    expectPage(small, [words.verdict.onlySuspected.small], ofDamage);
    expectPage(damaged, ofDamage);
  });

  test.each([
    [1, { left: 10, top: 140 }],
    [3, { left: 10, top: 2 }],
    [6, { left: 2, top: 10 }],
    [8, { left: 224, top: 10 }],
  ])('say that a mark lies in missing rows, for orientation %d', (orientation, corner) => {
    const markedAt = (place: typeof corner) => {
      const region = { ...place, width: 14, height: 16, share: 0.01 };
      return altered(makeSuspected(), {
        facts: { orientation, notes: ['rows_missing'], soundShare: 0.95 },
        manipulation: { region, places: [{ region, methods: ['copy-move'] }] },
      });
    };

    const ofMark = [head.inDamage, because.damaged];
    expectPage(markedAt(corner), [...ofMark, head.undamaged]);
    expectPage(markedAt({ left: 100, top: 60 }), [head.undamaged], ofMark);
  });

  test('head the reasons of an open result by what they point to, with the places they mark', () => {
    const base = makeExamination({ resultClass: 'uncertain' });
    const [traces] = base.findings;
    const fake = { ...traces!, speaksFor: 'fake', strength: 'weak' } as const;
    const part = {
      ...fake,
      method: 'localisation-network',
      statement: { code: 'region_processed_apart', values: { place: 'top', share: 0.1 } },
    } as const;
    const pageWith = (findings: Examination['findings'], examination = base) =>
      pageOf({ ...examination, findings });
    const { weak } = words.strength.adverbs;

    expectTexts(pageWith([fake]), [`${head.rows.forFake}\n`], [head.rows.forEither]);
    expect(pageWith([fake, part])).toContain(head.rows.forEither);
    const suspected = makeSuspected();
    const region = { left: 20, top: 10, width: 40, height: 30, share: 0.04 };
    const places = [
      { region, methods: ['copy-move'] },
      { region: { ...region, left: 140 }, methods: [part.method] },
    ];
    const manipulation = { ...suspected.manipulation!, region, places };
    const unmarked = [{ ...places[0]!, methods: [] }, places[1]!];
    expect(
      pageWith([part], { ...suspected, manipulation: { ...manipulation, places: unmarked } }),
    ).toContain(`(${head.further})`);
    expect(pageWith([part], { ...suspected, manipulation })).toContain(
      capitalised(head.alone(weak, [2])),
    );
  });

  test('list a broken signature apart from the evidence against a photograph', () => {
    const broken = signed(makeExamination({ resultClass: 'real' }), { integrity: 'broken' });

    expectPage(broken, [`${head.rows.noted}\n${words.strength.evaluation.credentials.broken}`]);
  });

  const pageOfEdit = (
    action: string,
    digitalSourceType: string | null = null,
    signer = credentials.signer,
  ) => {
    const actions = [{ action, software: null, when: null, digitalSourceType }];
    return pageOf(signed(makeSuspected(), { signer, actions }));
  };

  test('name an edit that signed credentials declare, beside a suspicion', () => {
    const { placed } = words.provenance.credentialActions;

    const edited = pageOfEdit('c2pa.placed');
    expect(edited).toContain(headlines.editDeclared);
    expect(edited.split(because.declaredEdits(placed, 'open'))).toHaveLength(2);
    expect(edited).toContain(because.wholeReal);
    expect(edited).toContain(next.signer);
    const tested = pageOfEdit('c2pa.placed', null, 'C2PA Test Signing Cert');
    expect(tested).toContain(because.declaredEdits(placed, 'test'));
    expect(tested).not.toContain(next.signer);
    expect(pageOfEdit('c2pa.resized')).toContain(headlines.suspected(false));
    expect(pageOfEdit('c2pa.edited', 'trainedAlgorithmicMedia')).toContain(
      headlines.suspected(false),
    );
  });

  test('of an open result say that file and traces contradict each other', () => {
    const reasons = ['declaration_contradicts_traces'] as const;

    expectPage(makeExamination({ resultClass: 'uncertain', reasons }), [headlines.contradicted]);
  });

  test('name a wrong file extension on the first page', () => {
    const tooSmall = makeExamination({ resultClass: 'abstain', reasons: ['too_small'] });
    const misnamed = altered(tooSmall, { facts: { notes: ['extension_disagrees'] } });
    const { small_edits: edits } = words.limits.notCheckedBrief;

    expectPage(misnamed, [`(${head.misnamed})`, head.submitted], [edits]);
  });

  test('give a probability more digits if it would round to a limit', () => {
    const limits = { realMax: 0.2071, fakeMin: 0.95, suspectedMin: 0.3375, manipulatedMin: 0.57 };
    const close = altered(makeExamination({ resultClass: 'real' }), {
      manipulation: { probability: 0.3401 },
      decision: { fakeProbability: 0.2066, thresholds: limits },
    });

    const all = allOf(close).replaceAll(',', '.');

    expect(all).toMatch(/0\.2066 .*0\.2071.*0\.9500/);
    expect(all).toMatch(/0\.340.*0\.338.*0\.570/);
  });

  test('name pictures seen before on the first page, apart from those that only share a camera', () => {
    const examination = makeExamination();
    const seenBefore = [seenByCamera];
    const first = writeFirstPage({ examination, item: { ...item, seenBefore }, language });

    const lines = {
      en: 'same camera body as old.jpg, 2026-03-02, case 4099',
      de: 'dieselbe Kamera (Seriennummer) wie old.jpg, 02.03.2026, Fall 4099',
    };
    expect(stringsOf([first])).toContain(lines[language]);
    expect(stringsOf([first])).not.toContain(words.terminal.seen.label);
    const long = { ...seen, name: 'W'.repeat(255), projectId: 'P'.repeat(255) };
    const short = writeFirstPage({ examination, item: { ...item, seenBefore: [long] }, language });
    expect(stringsOf([short]).some((text) => /W⟨… 175 …⟩W+.*P⟨… 175 …⟩P+$/.test(text))).toBe(true);
    const annexOf = (beside: ReportItem['beside'] & {}) =>
      sectionsOf(examination, { seenBefore: [seen], beside })
        .find(({ title }) => title.includes(words.labels.sections.seenBefore))
        ?.blocks.slice(1);
    const told = words.document.seen;
    const jpeg = 'AAAA';
    for (const [differing, howAlike] of [
      [2, told.framed],
      [0, told.alike],
    ] as const) {
      expect(annexOf([{ id: seen.id, jpeg, differing }])).toEqual([
        { kind: 'beside', jpeg, caption: `${told.beside} ${howAlike}` },
      ]);
    }
    expect(annexOf([{ id: seen.id, jpeg: null, differing: 0 }])).toEqual([
      { kind: 'paragraph', text: told.gone },
    ]);
  });

  test('show a long history step by step, with its start and its end', () => {
    const history = Array.from({ length: 40 }, (_, at) => ({
      action: 'saved',
      software: `Program 8.${at}`,
      when: null,
      parameters: null,
    }));
    const examination = { ...makeExamination(), provenance: { ...noProvenance, history } };

    const shown = stringsOf(sectionsOf(examination)).find((text) => text.includes('Program 8.15'));

    const lines = shown?.split('\n') ?? [];
    expect(lines).toHaveLength(25);
    expect(lines[16]).toBe(words.provenance.moreSteps('16'));
    expect(lines.at(-1)).toContain('Program 8.39');
  });

  test('contain the texts of the contract, except those given as tables or with their method', () => {
    const examination = makeExamination();
    const texts = writeTexts(examination, item, language);
    const all = allOf(examination);

    const { heatmap } = texts;
    const { intro, changes } = words.measurements.heatmap;
    const maps = Object.values(heatmap).map((text) =>
      text.replace(` ${changes.fake}`, '').replace(` ${changes.anomaly}`, ''),
    );
    for (const text of maps) {
      for (const paragraph of text.split('\n\n')) expect(all).toContain(paragraph);
    }
    for (const text of [intro.scale, intro.caution, changes.fake, changes.anomaly]) {
      expect(all).toContain(text);
    }
  });

  test('do not call traces, strategy or limits decisive for a declared picture', () => {
    const byTraces = { resultClass: 'abstain', reasons: ['no_usable_trace'] } as const;
    const all = allOf(altered(makeExamination(), { decision: { basis: 'declaration', byTraces } }));
    const { results } = words.measurements;
    const { declared, traced } = words.limits.limits.nature;

    expectTexts(all, [words.outcome.short.no_usable_trace, declared, results.outside], [traced]);
    expect(all).not.toMatch(/strategy .* was applied|Strategie .* angewandt/);
  });

  test('warn of a decision on this ground alone, whatever the result rests on', () => {
    const warning = {
      en: 'not the sole ground for a decision against anyone',
      de: 'rechtfertigt aber allein keine Entscheidung zulasten einer Person',
    };

    for (const examination of [
      makeExamination(),
      decidedBy('localisation', 'real'),
      decidedBy('declaration', 'fake'),
      decidedBy('declaration', 'uncertain'),
    ])
      expectPage(examination, [warning[language]]);
  });

  test('say for a declared picture when its traces agree', () => {
    const { agreeing, declared } = words.verdict.conclusion;
    const { byTraces } = words.outcome.wrong;

    expectPage(decidedBy('declaration', 'fake'), [agreeing, byTraces], [head.tracesOpen]);
    expectPage(decidedBy('declaration', 'uncertain'), [declared, head.tracesOpen]);
  });

  test('state the ratios that decide about generation, once, whether they were reached or not', () => {
    const needed = writeNeededRatios(makeExamination().decision, language)!;
    const reasons = ['evidence_below_threshold'] as const;
    const open = pageOf(makeExamination({ resultClass: 'uncertain', reasons }));

    for (const page of [
      open,
      pageOf(makeExamination({ resultClass: 'real' })),
      pageOf(decidedBy('declaration', 'fake')),
    ]) {
      expect(page.split(needed)).toHaveLength(2);
    }
    expect(pageOf(makeSuspected())).not.toContain(needed);
  });

  test('say why a picture that cannot be judged was not checked for generation and changes', () => {
    expectPage(makeExamination({ resultClass: 'abstain' }), [head.beyond('')]);
    expectPage(makeExamination({ resultClass: 'real' }), [], [head.beyond('')]);
  });

  test('say for a changed picture what its traces as a whole show', () => {
    expectPage(decidedBy('localisation', 'real'), [because.wholeReal], [because.wholeOpen]);
    expectPage(decidedBy('localisation', 'uncertain'), [because.wholeOpen]);
  });

  test('doubt that a picture is no photograph if the file names a camera', () => {
    const drawing = makeExamination({ resultClass: 'abstain', reasons: ['not_a_photograph'] });
    const camera = { kind: 'camera', name: 'Acme 1', place: 'exif' } as const;

    expectPage(altered(drawing, { provenance: { software: [camera] } }), [head.cameraNamed]);
    expectPage(drawing, [], [head.cameraNamed]);
  });

  test('explain on the first page how to check an unknown signer, and only for one', () => {
    expectPage(signed(makeExamination()), [next.signer]);
    expectPage(signed(makeExamination(), { trust: 'trusted' }), [], [next.signer]);
    expectPage(signed(makeExamination(), { integrity: 'broken' }), [], [next.signer]);
  });

  test('give values outside the validated range no meaning', () => {
    const { outside } = words.measurements.results;

    const abstained = stringsOf(sectionsOf(makeExamination({ resultClass: 'abstain' })));

    expect(abstained).toContain(outside);
    expect(abstained.join('\n')).toMatch(/mean nothing|nicht aussagekräftig/);
    expect(abstained.join('\n')).toMatch(/Meaningless: this|Ohne Aussagekraft: Dieses/);
    expect(allOf(makeExamination({ resultClass: 'uncertain' }))).not.toContain(outside);
  });

  test('explain why the checksum of an earlier report differs from this one', () => {
    const at = new Date('2026-03-01T12:00:00Z');
    const textsWith = (name: string) => {
      const hashes = [{ name, sha256: 'ab'.repeat(32) }];
      const custody = [{ at, actor: 'service', event: 'upgraded', hashes } as const];
      return stringsOf(sectionsOf(makeExamination(), { custody }));
    };

    expect(textsWith('report-en.pdf')).toContain(words.document.custody.redrawn);
    expect(textsWith('original')).not.toContain(words.document.custody.redrawn);
  });

  test('state in their own language what findings of this program rest on', () => {
    const answers = detectors.map((detector) => detector.examine(inputWith(makePicture(96, 96))));
    const findings = answers.flatMap(findingsIn).map(wordFinding);
    const examination = { ...makeExamination(), findings };

    const all = allOf(examination);

    const wanted = {
      en: /trained for this program/,
      de: /Für dieses Programm trainiertes neuronales Netz/,
    };
    for (const one of languages) {
      const matcher = expect(all);
      (one === language ? matcher : matcher.not).toMatch(wanted[one]);
    }
  });

  test('never print a position, not even one hidden in another tag', () => {
    const { metadata } = makeExamination().facts;
    const exif = { ...metadata.exif, GPSLatitude: '52.5200', UserComment: 'at 13.4050' };
    const all = allOf(altered(makeExamination(), { facts: { metadata: { ...metadata, exif } } }));

    expect(all).not.toMatch(/52[.,]52|13[.,]405/);
    expect(all).toContain(words.labels.presentNotShown);
  });

  test('say that the upload was replaced, but only if it was', () => {
    const write = (isUploadReplaced: boolean) =>
      stringsOf(sectionsOf(makeExamination(), { isUploadReplaced }));

    expect(write(true)).toContain(words.labels.uploadReplaced);
    expect(write(false)).not.toContain(words.labels.uploadReplaced);
    expect(write(false)).toEqual(stringsOf(sectionsOf()));
  });

  test('have a name for every method, and explain as many terms as in English', () => {
    const [own, english] = [language, 'en' as const].map((one) => wordsIn(one).glossary.terms);

    for (const { method } of detectors) expect(words.findings.methods).toHaveProperty(method);
    expect(Object.keys(own!)).toHaveLength(Object.keys(english!).length);
  });

  test('show where each method points and what it says, and error level only on request', () => {
    const base = makeExamination();
    const even = new Uint16Array(base.maps.columns * base.maps.rows).fill(32_768);
    const statements = { en: 'Found in English.', de: 'Auf Deutsch gefunden.' };
    const finding = { ...base.findings[0]!, statement: statements };
    const examination: Examination = {
      ...base,
      findings: [
        { ...finding, method: 'jpeg-grid', strength: 'weak' },
        { ...finding, method: 'error-level', speaksFor: 'neither', strength: 'none' },
      ],
      maps: { ...base.maps, methods: { 'jpeg-grid': even, 'error-level': even, gone: even } },
    };
    const { shownOnly } = words.measurements;
    const shown = (withErrorLevel: boolean) =>
      sectionsOf(examination, { withErrorLevel })
        .flatMap((section) => section.blocks)
        .flatMap((block) =>
          (block.kind === 'grid' ? block.rows : []).filter(({ title }) => title !== undefined),
        );

    const strengths = {
      en: 'Weak support for a change',
      de: 'Spricht schwach für eine Veränderung',
    };
    const strength = `${strengths[language]}; ${shownOnly}`;
    const step = `${head.rows.next}: ${writeNextStep({ ...finding, strength: 'weak' }, language)}`;
    const grid = { panel: 'jpeg-grid', cells: [`${statements[language]}\n${step}`, strength] };
    expect(shown(false)).toMatchObject([grid]);
    expect(shown(true)).toMatchObject([
      grid,
      { panel: 'error-level', cells: [statements[language], capitalised(shownOnly)] },
    ]);
  });

  test('say what a changed part rests on, where it is and which methods support it', () => {
    const region = { left: 10, top: 5, width: 40, height: 50, share: 0.06 };
    const methods = ['copy-move'];
    const places = [region, { ...region, left: 200 }].map((one) => ({ region: one, methods }));
    const examination = altered(makeExamination(), {
      manipulation: { region, methods, places },
      decision: { basis: 'localisation', resultSubClasses: ['manipulated'] },
    });
    const { changed, traced } = words.limits.limits.nature;
    const own = {
      en: ['matches no. 2', 'in the upper left; 6%', 'called changed (0.2%, up to 0.7%)'],
      de: ['gleicht Nr. 2', 'links oben; 6 %', 'als verändert (0,2 %, bis zu 0,7 %)'],
    }[language];

    const all = allOf(examination);

    expectTexts(all, [changed, because.changed('', 'copies'), '40 × 50', ...own], [traced]);
    expect(all).toContain(words.findings.methods['copy-move']);
  });

  test('name every code, the time-stamp authority and what a signature lacks', () => {
    const examination = signed(makeExamination(), {
      codes: ['claimSignature.validated', 'signingCredential.expired'],
      problems: ['signingCredential.expired'],
      ingredientProblems: ['assertion.hashedURI.mismatch'],
      validity: { from: '2022-06-10T18:46:28Z', to: '2030-08-26T18:46:28Z' },
    });

    const all = allOf(examination);

    const own = {
      en: ['certificate has since expired', '2022-06-10 – 2030-08-26'],
      de: ['Zertifikat ist inzwischen abgelaufen', '10.06.2022'],
    }[language];
    expectTexts(all, [...Object.values(words.provenance.missing), words.provenance.noTrustList]);
    expectTexts(all, ['claimSignature.validated; signingCredential.expired', ...own]);
    expectTexts(all, ['assertion.hashedURI.mismatch']);
  });

  test('state how often changed parts were found and untouched photographs called changed, if measured', () => {
    // Exact binomial intervals of 42 of 153 and of 3 of 1,210, from another implementation.
    const [found, accused] = {
      en: ['27.5% (20.6 to 35.2%)', '0.2% (0.1 to 0.7%)'] as const,
      de: ['27,5 % (20,6 bis 35,2 %)', '0,2 % (0,1 bis 0,7 %)'] as const,
    }[language];

    expectTexts(allOf(), [found, accused]);
    expectTexts(allOf({ ...makeExamination(), measuredCalls: [] }), [], [accused]);
  });

  test('also state it by size, for files as they were', () => {
    const base = makeExamination();
    const [all] = base.measuredCalls;
    const ofSize = (from: number, below: number | null, condition = 'as is') => ({
      ...all!,
      condition,
      megapixels: { from, below },
    });
    const measuredCalls = [all!, ofSize(0, 1.5), ofSize(1.5, 4), ofSize(4, null)];
    const strings = stringsOf(sectionsOf({ ...base, measuredCalls }));
    const saved = allOf({ ...base, measuredCalls: [all!, ofSize(4, null, 'jpeg 75')] });
    const sizes = {
      en: ['below 1.5 (153 and 1,210)', '1.5 to 4 (153 and 1,210)', '4 or more (153 and 1,210)'],
      de: ['unter 1,5 (153 und 1.210)', '1,5 bis 4 (153 und 1.210)', 'ab 4 (153 und 1.210)'],
    }[language];

    for (const size of sizes) expect(strings).toContain(size);
    expect(saved).not.toContain(sizes[2]);
  });

  test('explain escapes only if a name needs them', () => {
    expect(stringsOf(sectionsOf())).not.toContain(words.labels.escapes);
    expect(stringsOf(sectionsOf(makeExamination(), { name: 'a\u202Eb' }))).toContain(
      words.labels.escapes,
    );
  });

  test('name every conversion, and unknown thresholds by their code', () => {
    const decision = { thresholds: { somethingNew: 0.25 } };
    const all = allOf(altered(makeExamination(), { facts: { notes: pictureNotes }, decision }));

    expectTexts(all, [...Object.values(words.labels.notes), 'somethingNew']);
  });

  test('say so when the quantisation table matches a quality setting exactly', () => {
    const base = makeExamination();
    const jpeg = { ...base.facts.jpeg!, quality: { value: 75, distance: 0 } };

    expect(allOf(altered(base, { facts: { jpeg } }))).toContain(words.labels.exactQuality('75'));
  });

  test('cope with a PNG without metadata, findings or skips', () => {
    const png = altered(makeExamination(), { facts: { format: 'png', jpeg: null } });
    const all = allOf({ ...png, findings: [], skipped: [] });

    const { noneSpeaks } = words.strength.evaluation;
    expectTexts(all, ['PNG', noneSpeaks], [words.labels.rows.jpegQuality]);
  });
});

const evil = 'x\u202Ey';
/** The members that hold codes and hashes of our own. */
const own = new Set(
  `assurance basis change code decisionStrategy event format integrity kind md5 origin place reasons resultClass
  resultSubClasses sha256 sha512 speaksFor strength trust trustListSha256 writtenBy`.split(/\s+/),
);
/** The members whose own members have names from the file, the model or the machine. */
const named = new Set('environment exif files measures pngText thresholds xmp'.split(' '));

/** With hostile text in place of every text that is not our own. */
function poisoned<Value>(value: Value, key = ''): Value {
  const poison = (part: unknown): unknown => {
    if (typeof part === 'string') return own.has(key) ? part : evil;
    if (Array.isArray(part)) return part.map((one: unknown) => poisoned(one, key));
    if (part?.constructor !== Object) return part;
    const parts = Object.entries(part).map(([name, one]) => [name, poisoned<unknown>(one, name)]);
    const more = named.has(key) ? parts.map(([name, one]) => [`${evil}${String(name)}`, one]) : [];
    return Object.fromEntries([...parts, ...more]);
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts are replaced
  return poison(value) as Value;
}

test('all foreign text in a report is made printable', () => {
  const [finding] = full.findings;
  const texts = { software: 'a', digitalSourceType: 'a', warnings: ['a'] };
  const metadata = { ...full.facts.metadata, ...texts, xmp: { a: 'b' }, pngText: { a: 'b' } };
  const findings = [...full.findings, { ...finding!, speaksFor: 'neither' } as const];
  const examination = altered(
    { ...full, findings },
    {
      facts: { iccProfile: 'a', metadata },
      provenance: {
        history: [{ action: 'a', software: 'a', when: 'a', parameters: 'a' }],
        quantisation: { kind: 'known-software', name: 'a', quality: null },
        layout: { trailingBytes: 1, trailingKind: 'a', pictures: 1 },
        warnings: ['a'],
      },
    },
  );

  const all = stringsOf(
    writeSections({
      examination: poisoned(examination),
      item: poisoned(fullItem),
      language: 'en',
      heatmapDigests,
    }),
  );

  expect(all.filter((text) => text.includes('\u202E'))).toEqual([]);
  expect(all.filter((text) => text.includes('⟨U+202E⟩')).length).toBeGreaterThan(40);
});

function stringsOf(sections: readonly Section[]): readonly string[] {
  return sections.flatMap(({ title, blocks }) => [title, ...blocks.flatMap(stringsOfBlock)]);
}

function stringsOfBlock(block: Block): readonly string[] {
  if (block.kind === 'table') return block.rows.flatMap(({ label, value }) => [label, value]);
  if (block.kind === 'grid') {
    return block.rows.flatMap(({ title, cells, below = [] }) => [title ?? [], cells, below].flat());
  }
  if (block.kind === 'list') return block.items;
  if (block.kind === 'form') return block.labels;
  if (block.kind === 'heatmaps') {
    return block.maps.flatMap(({ title, headline, text }) => [title, headline || '-', text]);
  }
  if (block.kind === 'verdict') {
    const beside = block.beside.flatMap(({ title, items }) => [title, ...items]);
    return [block.headline, block.text, block.caption, ...beside];
  }
  const { kind: _, ...rest } = block;
  return Object.values(rest);
}

const noticed = {
  metadata: [
    { code: 'texts_cut', values: { place: 'xmp', characters: 2000 } },
    { code: 'entries_cut', values: { place: 'png-text', entries: 200 } },
    { code: 'block_too_large', values: { place: 'exif', bytes: 300_000 } },
    { code: 'block_unreadable', values: { place: 'iptc' } },
    { code: 'extended_xmp_not_read', values: {} },
    { code: 'png_chunks_cut', values: {} },
    { code: 'png_text_not_inflated', values: { keyword: 'a "b"' } },
  ],
  provenance: [
    { code: 'thumbnail_unreadable', values: {} },
    { code: 'credentials_elsewhere', values: {} },
    { code: 'not_read_by_earlier_version', values: {} },
  ],
} as const satisfies Readonly<Record<string, readonly Warning[]>>;

const expectTexts = (text: string, has: readonly string[], lacks: readonly string[] = []) => {
  for (const one of has) expect(text).toContain(one);
  for (const one of lacks) expect(text).not.toContain(one);
};

describe('warnings about unreadable parts of the file', () => {
  test('are in German in the German report', () => {
    const all = stringsOf(sectionsWith(noticed, 'de')).join('\n');

    expect(all).toContain(
      'XMP: Lange Texte wurden nach 2000 Zeichen abgeschnitten. PNG-Text: Nur die ersten 200 Einträge wurden übernommen.',
    );
    expect(all).toContain('Content Credentials, die anderswo liegen');
    expect(all).not.toMatch(/ (?:were|cannot|could|only) /);
  });

  test('read the same from an examination that stored sentences', () => {
    const stored = {
      metadata: writeWarnings({ warnings: noticed.metadata }, 'en'),
      provenance: writeWarnings({ warnings: noticed.provenance }, 'en'),
    };

    expect(stored.metadata[1]).toBe('PNG text: only the first 200 entries were kept.');
    for (const language of languages) {
      expect(sectionsWith(stored, language)).toEqual(sectionsWith(noticed, language));
    }
  });

  test('are left as they are if no version wrote that sentence', () => {
    const warnings = ['XMP: something else.'];

    expect(writeWarnings({ warnings }, 'de')).toEqual(warnings);
  });
});

function sectionsWith(
  warnings: Readonly<Record<'metadata' | 'provenance', readonly StoredWarning[]>>,
  language: Language,
): readonly Section[] {
  const { facts } = makeExamination();
  const metadata = { ...facts.metadata, warnings: warnings.metadata };
  const provenance = { warnings: warnings.provenance };
  const examination = altered(makeExamination(), { facts: { metadata }, provenance });
  return writeSections({ examination, item, language, heatmapDigests });
}
