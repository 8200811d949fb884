import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Language, languages } from '../../../src/contract/vocabulary.ts';
import { makeExamination } from './examination.ts';
import { bodyOf, full, fullItem, render, size } from './full-report.ts';
import { points } from './sixteen-points.ts';

describe.each(languages)('the report in %s holds', (language) => {
  let body: string;
  let rendered: Awaited<ReturnType<typeof render>>;
  beforeAll(async () => {
    rendered = await render(full, language);
    body = bodyOf(rendered.pages);
  });

  test.each(points)('%s', (_, wanted) => {
    for (const text of wanted.flatMap((one) => one[language])) expect(body).toContain(text);
  });

  test('7 the checksum of each heatmap file', () => {
    for (const file of Object.values(rendered.heatmaps)) {
      expect(body).toContain(createHash('sha256').update(file).digest('hex'));
    }
  });

  test('9 no statement that the picture is fake or real', () => {
    const forbidden = {
      en: /picture is (?:a )?(?:fake|forged|manipulated|genuine|real)\b|(?<!none of them )proves/i,
      de: /Bild ist (?:eine? )?(?:gefälscht|Fälschung|manipuliert|echt)\b|beweist|bewiesen/i,
    };

    expect(body).not.toMatch(forbidden[language]);
  });

  test('16 its form: tags, bookmarks, fonts, A4 that fits Letter, page x of y', () => {
    const source = Buffer.from(rendered.pdf).toString('latin1');
    const { pages } = rendered;
    const pageOf = { en: ['page', 'of'], de: ['Seite', 'von'] }[language];

    expect(source).toContain(`/Lang (${language})`);
    expect(source).toContain('/Marked true');
    expect(source).toContain('/MediaBox [0 0 595.28 841.89]');
    expect(source.match(/\/FontFile2/g)).toHaveLength(2);
    expect(source.match(/\/S \/H2\b/g)).toHaveLength(16);
    expect(source.match(/\/Title [(<]/g)).toHaveLength(17);
    pages.forEach(({ text, pieces }, at) => {
      expect(text).toContain(`${pageOf[0]} ${at + 1} ${pageOf[1]} ${pages.length}`);
      for (const { y } of pieces) expect(y).toBeGreaterThan(25);
    });
  });
});

describe.each(languages)('a report in %s without a decision', (language) => {
  test('10 gives the reasons and what would help', async () => {
    const examination = {
      ...makeExamination({ ...size, resultClass: 'abstain', reasons: ['too_compressed'] }),
    };
    const body = bodyOf((await render(examination, language)).pages);
    const wanted = {
      en: ['Lossy compression has destroyed the fine traces', 'Next step', 'None can be given'],
      de: [
        'Die verlustbehaftete Kompression hat die feinen Spuren beseitigt',
        'Empfehlung',
        'Keine Angabe möglich',
      ],
    };

    for (const text of wanted[language]) expect(body).toContain(text);
  });

  test('13 says that no custody was recorded, and prints no metadata unless requested', async () => {
    const { custody: _, withMetadata: __, retries: ___, ...bare } = fullItem;
    const body = bodyOf((await render(makeExamination(size), language, bare)).pages);
    const wanted = {
      en: ['No chain of custody was recorded', 'Retries after failures\nnot recorded'],
      de: [
        'keine Beweismittelkette aufgezeichnet',
        'Wiederholungen nach Fehlern\nnicht aufgezeichnet',
      ],
    };

    for (const text of wanted[language]) expect(body).toContain(text);
    expect(body).not.toContain('EXIF: FNumber');
  });
});

test('6 both languages state the same numbers, whatever the seed', async () => {
  const en = await numbersWith(1337, 'en');
  const others = [await numbersWith(1337, 'de'), await numbersWith(1339, 'en')];

  expect(en.length).toBeGreaterThan(150);
  for (const other of others) expect(other.map(withoutSeed)).toEqual(en.map(withoutSeed));
});

async function numbersWith(seed: number, language: Language): Promise<readonly string[]> {
  const examination = { ...full, options: { ...full.options, seed } };
  return numbersIn(bodyOf((await render(examination, language)).pages), language);
}

function withoutSeed(number: string): string {
  return number === '1339' ? '1337' : number;
}

/** Numbers in English notation, sorted, without language-independent text: checksums, versions, some annexes. */
function numbersIn(body: string, language: Language): readonly string[] {
  const [references, metadata] = ['I  ', 'J  '];
  const own = body.slice(0, body.indexOf(references)) + body.slice(body.indexOf(metadata));
  const dated = own.replace(/\b(\d\d)\.(\d\d)\.(\d{4})\b,?/g, '$3-$2-$1');
  const plain = dated.replace(
    /[0-9A-F]{4}(?:-[0-9A-F]{4}){2}|[0-9a-f]{24,}|\S+T[\d:.]+Z|(?:forensics|[Jj]s|Runtime|sharp|libvips) [\d.]+|f\/\d[.,]\d|[pS]\.\u00a0\d+/g,
    '',
  );
  const pattern = language === 'en' ? /\d+(?:,\d{3})*(?:\.\d+)?/g : /\d+(?:\.\d{3})*(?:,\d+)?/g;
  const [group, decimal] = language === 'en' ? [',', '.'] : ['.', ','];
  return [...plain.matchAll(pattern)]
    .map(([number]) => number.replaceAll(group, '').replace(decimal, '.'))
    .toSorted();
}
