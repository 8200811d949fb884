import { expect, test, vi } from 'vitest';
import { progressText, toTableRow, writeCard, writeTable } from '../../src/cli/analyze/card.ts';
import {
  emptySummary,
  startProgress,
  summaryLine,
  withRecord,
} from '../../src/cli/analyze/batch.ts';
import type { AnalysisRecord } from '../../src/cli/analyze/record.ts';
import { writeEvidence } from '../../src/present/evidence.ts';
import { makeExamination, seen, seenByCamera } from '../unit/present/examination.ts';
import { printable } from '../../src/cli/output/terminal.ts';
import { recordOf } from './fake-examiner.ts';
import stringWidth from 'string-width';

const examined = recordOf(makeExamination());

const ofGenerated = { realCalledFake: 0.018, fakeCalledReal: 0.1, fakeCalledFake: 0.6 };
const errorRates = { real: 221, fake: 277, decided: 0.3, ...ofGenerated };
const pictures = { changed: 150, photographs: 200 };
const changeErrorRates = { ...pictures, changedCalled: 0.3, photographsCalled: 0.005 };

const fake: AnalysisRecord = {
  ...examined,
  file: 'pictures/of-a-very-long-folder-name/with-a-very-long-file-name-at-the-end-0042.jpg',
  decision: {
    ...examined.decision!,
    fakeProbability: 0.93,
    changeProbability: 0.1,
    errorRates,
    changeErrorRates,
  },
};

const abstained: AnalysisRecord = {
  ...fake,
  file: 'b.png',
  verdict: 'abstain',
  reasons: ['too_compressed', 'no_usable_trace'],
  picture: { ...fake.picture!, notes: ['extension_disagrees'] },
};

const failed: AnalysisRecord = {
  ...fake,
  file: '\u001b[2Jc.jpg',
  verdict: null,
  result: null,
  decision: null,
  picture: null,
  error: { code: 'image_empty', message: 'The file is empty (0 bytes).' },
};

const rowOf = (record: AnalysisRecord) => toTableRow(record, 'en');

const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

test.for([60, 80, 120])('a table fits a terminal of %i columns and loses nothing', (columns) => {
  const table = writeTable([fake, abstained, failed].map(rowOf), 'en', columns);

  expect(widest(table)).toBeLessThanOrEqual(columns);
  expect(table.replaceAll(/\s+/g, ' ')).toMatch(
    /0042\.jpg (?:RESULT )?looks generated (?:P\(GENERATED\) )?0\.93/,
  );
  expect(table).not.toContain('\u001b[2J');
});

test('the table names the copy within the run, and the first one seen before it', () => {
  const copyOf = { file: 'a.jpg', isSameFile: true, isMirrored: false };

  expect(rowOf({ ...fake, copyOf, seenBefore: [seen, seen, seenByCamera] }).reason).toMatch(
    /; same file as a\.jpg; seen before: old\.jpg, 2026-03-02, case 4099; and 1 more$/,
  );
  expect(rowOf({ ...fake, seenBefore: [seenByCamera] }).reason).toBe(rowOf(fake).reason);
});

test('a table written to a file keeps every name in full', () => {
  expect(writeTable([fake, abstained].map(rowOf), 'en', Number.POSITIVE_INFINITY)).toContain(
    fake.file,
  );
});

test('the card states the measured error rate', () => {
  const asReal = { ...fake, verdict: 'real' as const };
  const unmeasured = { ...fake, decision: { ...fake.decision!, errorRates: null } };

  expect(writeCard(fake, 'en', 200)).toContain(
    'In tests, mistook 4 of 221 photographs for generated pictures.',
  );
  expect(writeCard(asReal, 'en', 80)).toContain(
    'Found 166 of 277 generated and 45 of 150 changed pictures in tests.',
  );
  expect(writeCard(unmeasured, 'en', 200)).toContain('Never measured');
  expect(writeCard({ ...fake, verdict: 'uncertain' }, 'en', 200)).not.toContain('Error rate');
});

test('a changed part has its own error rate', () => {
  const changed = { ...fake.decision!, basis: 'localisation' as const };

  const card = writeCard({ ...fake, decision: changed }, 'en', 100);
  const unmeasured = writeCard(
    { ...fake, decision: { ...changed, changeErrorRates: null } },
    'en',
    100,
  );

  expect(card).toContain('In tests, mistook 1 of 200 unchanged pictures for changed ones.');
  expect(card).not.toContain('221');
  expect(unmeasured).toContain('Never measured');
});

test('an abstention shows no probability', () => {
  expect(writeCard(abstained, 'en', 100)).not.toContain('0.93');
  expect(writeTable([rowOf(abstained)], 'en', 100)).toMatch(
    /not judged +- +- +too much compression/,
  );
});

test('the columns of a long table are aligned', () => {
  const rows = Array.from({ length: 1100 }, (_, n) => rowOf({ ...fake, file: `${n}.jpg` }));

  const lines = writeTable(rows, 'en', 80).trimEnd().split('\n');

  expect(lines).toHaveLength(1101);
  expect(lines[0]).toMatch(/^PICTURE +RESULT +P\(GENERATED\) +P\(CHANGED\) +REASON$/);
  expect(lines.at(-1)).toMatch(/^1099\.jpg +looks generated +0\.93 +0\.10 +traces of generators$/);
  expect(new Set(lines.map((line) => line.search(/RESULT|looks/))).size).toBe(1);
});

const german =
  '3 Bilder: 1 mit Anzeichen, 1 nicht beurteilbar, 1 fehlgeschlagen; 5,0 s, 0,6 pro Sekunde';

test.each([
  [5000, 'en', '3 pictures: 1 with signs, 1 not judged, 1 failed; 5.0 s, 0.6 a second'],
  [75_000, 'en', '3 pictures: 1 with signs, 1 not judged, 1 failed; 1 min 15 s, 2.4 a minute'],
  [7_500_000, 'en', '3 pictures: 1 with signs, 1 not judged, 1 failed; 2 h 5 min, 1.4 an hour'],
  [5000, 'de', german],
] as const)('the summary counts every outcome, with duration and rate', (ms, language, told) => {
  const summary = [fake, abstained, failed].reduce(withRecord, emptySummary);

  expect(summaryLine(summary, ms, language)).toBe(told);
  const onlyFailed = [failed, failed].reduce(withRecord, emptySummary);
  expect(summaryLine(onlyFailed, 5000, 'en')).toBe('2 pictures: 2 failed; 5.0 s');
});

test.each([
  [3, 0, 0, 0, '[                    ] 0/3'],
  [3, 3, 1, 1000, '[====================] 3/3, 1 failed'],
  [40, 10, 0, 10_000, '[=====               ] 10/40, 1.0 a second, about 30 s left'],
  [null, 7, 0, 3500, '7 examined'],
  [2, 3, 0, 0, '[====================] 3/2'],
  [9, 0, 0, 60_000, '[                    ] 0/9'],
  [2, 1, 0, 4000, '[==========          ] 1/2, 0.3 a second'],
  [2, 1, 0, 42_000, '[==========          ] 1/2, 1.4 a minute, about 40 s left'],
  [100, 99, 0, 60_000, '[=================== ] 99/100, 1.6 a second'],
  [10, 1, 0, 80_000, '[==                  ] 1/10, 0.8 a minute, about 12 min left'],
  [100, 1, 0, 130_000, '[                    ] 1/100, 0.5 a minute, about 3.6 h left'],
])('of %s, %d done and %d failed after %d ms: bar, rate and time left', (...row) => {
  const [total, done, failures, ms, told] = row;

  expect(progressText({ total, done, failed: failures }, ms, 'en')).toBe(told);
});

test('a terminal that reports no columns gets no progress', async () => {
  const { isTTY, columns } = process.stderr;
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  Object.assign(process.stderr, { isTTY: true, columns: 0 });

  const progress = await startProgress(2, 'en');
  progress.add({ error: null });
  progress.end();

  expect(write).not.toHaveBeenCalled();
  Object.assign(process.stderr, { isTTY, columns });
  write.mockRestore();
});

test('control and invisible characters are displayed as code points', () => {
  expect(printable('a\u001b[31mb\n\u202egpj.exe ü😀')).toBe(
    'a⟨U+001B⟩[31mb⟨U+000A⟩⟨U+202E⟩gpj.exe ü😀',
  );
});

test('wide and combining characters keep the columns aligned', () => {
  const files = ['a.jpg', '写真.jpg', 'e\u0301te\u0301.jpg', '漢'.repeat(60)];

  const lines = writeTable(
    files.map((file) => rowOf({ ...fake, file })),
    'en',
    90,
  ).split('\n');

  const positions = lines
    .slice(1, -1)
    .map((line) => stringWidth(line.slice(0, line.indexOf('looks'))));
  expect(new Set(positions).size).toBe(1);
});

test('the evidence in --json is that of the API plus what reproduction needs', () => {
  const examination = makeExamination();
  const { facts, measured, passes, patchesRead, environment } = examination;
  const more = { facts, measured, passes, patchesRead, environment };

  expect(recordOf(examination, 'forensicReporting').evidence).toEqual({
    ...writeEvidence(examination),
    ...more,
  });
});
