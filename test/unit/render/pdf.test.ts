import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Language } from '../../../src/contract/vocabulary.ts';
import type { Examination } from '../../../src/detectors/result.ts';
import { renderCasePdf } from '../../../src/render/pdf/case-pdf.ts';
import { renderPdf } from '../../../src/render/pdf/pdf.ts';
import type { Section } from '../../../src/present/sections/blocks.ts';
import { item, makeExamination } from '../present/examination.ts';
import { draw } from '../present/full-report.ts';
import { readPages, readSource, readXmp } from './pdf-text.ts';
import { breakLines } from '../../../src/present/text.ts';

async function render(examination: Examination, language: Language, name = item.name) {
  const { prints } = await draw(examination);
  return renderPdf({ prints, examination, item: { ...item, name }, language });
}

describe('the PDF of a picture', () => {
  const usual = makeExamination({ width: 400, height: 300 });

  test('has a table with the position of every stream', async () => {
    const source = Buffer.from(await render(usual, 'de')).toString('latin1');

    const table = source.slice(Number(/startxref\n(\d+)\n%%EOF\n$/.exec(source)![1]));
    const [, length, rest = ''] = /\/Length (\d+) >>\nstream\n(.*)/s.exec(table)!;
    const entries = inflateSync(Buffer.from(rest.slice(0, Number(length)), 'latin1')).swap32();
    const numbers = new Uint32Array(new Uint8Array(entries).buffer);
    const positions = [...numbers].flatMap((kind, at) =>
      at % 3 === 0 && kind === 1 ? [[at / 3, numbers[at + 1]!] as const] : [],
    );
    expect(positions.length).toBeGreaterThan(10);
    for (const [id, at] of positions) expect(source.startsWith(`${id} 0 obj\n`, at)).toBe(true);
  });

  test('shows an additional picture for each method that points at places', async () => {
    const { maps, findings } = usual;
    const examination = {
      ...usual,
      findings: [...findings, { ...findings[0]!, method: 'noise-level' }],
      maps: { ...maps, methods: { 'noise-level': maps.values.fake } },
    };

    const pdf = await render(examination, 'en');

    const source = readSource(pdf);
    expect(source.match(/\/S \/Figure/g)).toHaveLength(7);
    const texts = readPages(pdf).map((page) => page.text);
    expect(texts.join('\n')).toContain('Noise level');
  });

  test.each([
    'Tom & Jerry.jpg',
    'a < b > c.jpg',
    '&amp; &#38; ]]> <!-- .jpg',
    '</rdf:li></rdf:Alt></dc:title><dc:rights>Certified</dc:rights><dc:title><rdf:Alt><rdf:li>',
  ])('has metadata with the name %s and nothing else', async (name) => {
    const pdf = await render(usual, 'en', name);
    const xmp = readXmp(pdf);
    const [title] = xmp.getElementsByTagName('dc:title');

    expect(title?.textContent?.trim()).toBe(`Image forensics report: ${name}`);
    expect(xmp.getElementsByTagName('dc:rights')).toHaveLength(0);
    expect(namesIn(xmp)).toEqual(namesIn(readXmp(await render(usual, 'en'))));
  });

  test('is smaller than 1.5 MB', async () => {
    const large = makeExamination({ width: 1200, height: 1200 });

    expect((await render(large, 'en')).length).toBeLessThan(1.5e6);
  });

  test('keeps a name of any length and kind inside its margins', async () => {
    const strange = '\u202E\u05D0😀\n\t'.repeat(60);
    for (const name of ['W'.repeat(300), 'ä'.repeat(255), strange, 'a b '.repeat(80)]) {
      const pages = readPages(await render(usual, 'de', name));

      for (const { x, y } of pages.flatMap((page) => page.pieces)) {
        expect(x).toBeGreaterThanOrEqual(56 - 1e-3);
        expect(x).toBeLessThan(539.28);
        // Letter is 792 pt high: centred on it, an A4 sheet loses 25 pt at the top and bottom.
        expect(y).toBeGreaterThan(25);
        expect(y).toBeLessThan(842 - 25);
      }
      expect(pages.length).toBeLessThan(14);
    }
  });
});

function namesIn(xmp: ReturnType<typeof readXmp>): readonly string[] {
  return [...xmp.getElementsByTagName('*')].map(({ tagName }) => tagName);
}

test.each([
  [65, 65],
  [65, 1500],
  [1500, 65],
  [300, 400],
])('a %i x %i picture gets a report of a few pages', async (width, height) => {
  const pages = readPages(await render(makeExamination({ width, height }), 'en'));

  expect(pages.length).toBeGreaterThan(3);
  expect(pages.length).toBeLessThan(12);
});

test('in a case, a picture needs as many pages as it does alone', async () => {
  const { prints } = await draw(makeExamination({ width: 200, height: 300 }));
  const pictureWith = (rows: number) => {
    const texts = { question: 'Really?', headline: 'Yes', text: 'It is.', caption: 'Picture' };
    const values = Array.from({ length: rows }, (_, at) => ({ label: `${at}`, value: 'Value' }));
    const section: Section = {
      title: 'Result',
      part: null,
      blocks: [
        { kind: 'verdict', ...texts, places: [], beside: [] },
        { kind: 'table', rows: values, isTight: true },
      ],
    };
    return {
      analysisId: 'a',
      name: 'dent.jpg',
      status: 'completed' as const,
      isStarted: true,
      projectId: '1',
      result: null,
      isSuspected: false,
      seenBefore: [],
      failure: null,
      thumbnail: null,
      answer: null,
      page: { jpeg: prints.original, size: { width: 200, height: 300 }, sections: { en: section } },
    };
  };
  const countPages = async (...rows: readonly number[]) => {
    const pictures = rows.map((count) => pictureWith(count));
    const facts = { name: '1', ofOneCamera: 0, madeAt: item.examinedAt, listSha256: null };
    return readPages(await renderCasePdf({ ...facts, pictures, caseData: {} }, 'en')).length;
  };

  const dense = await countPages(42);
  for (let rows = 32; rows < 42; rows++) {
    const expected = dense + (await countPages(rows)) - 1;
    expect([rows, await countPages(42, rows)]).toEqual([rows, expected]);
  }
});

/** A font in which every character is one unit wide. */
const measure = (text: string) => Array.from(text).length;

const address = 'http://a.org/codes/type/aLongLastPart';

test.each([
  ['text breaks at spaces and fills its lines', 9, 'the quick brown fox', 'the quick |brown fox'],
  ['a word wider than the line is broken', 4, 'id abcdefghij end', 'id |abcd|efgh|ij |end'],
  ['an address breaks after a slash', 26, address, 'http://a.org/codes/type/|aLongLastPart'],
  ['but not if that leaves most of the line empty', 8, 'a/bcdefghijkl', 'a/bcdefg|hijkl'],
  ['a line has at least one character', 0.5, 'ab', 'a|b'],
  ['characters beyond 16 bits are not split', 2, '😀😀😀', '😀😀|😀'],
  ['an empty text is one empty line', 10, '', ''],
  ['a percent sign stays with its figure', 9, 'up to 3.9% of all', 'up to |3.9% of |all'],
])('%s', (_, width, text, lines) => {
  expect(breakLines(text, width, measure)).toEqual(lines.split('|'));
});

test('the lines joined give the text again', () => {
  const texts = ['a  b', ' a', 'a ', 'one two  three four', `sum ${'0123456789'.repeat(7)} end`];
  for (const text of texts) {
    for (const width of [1, 2, 5, 9, 100]) {
      expect(breakLines(text, width, measure).join('')).toBe(text);
    }
  }
});

test('a long name of a case leaves room for the page number in the footer', async () => {
  const facts = { ofOneCamera: 0, madeAt: item.examinedAt, listSha256: null, caseData: {} };
  const report = { ...facts, name: 'W'.repeat(255), pictures: [] };
  const [page] = readPages(await renderCasePdf(report, 'en'));

  expect(page!.text).toContain(`\nCase ${'W'.repeat(30)}⟨… 215 …⟩${'W'.repeat(10)}\n`);
});
