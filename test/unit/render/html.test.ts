import { describe, expect, test } from 'vitest';
import { languages } from '../../../src/contract/vocabulary.ts';
import { writeSections } from '../../../src/present/sections/sections.ts';
import { drawHtml, full, fullItem } from '../present/full-report.ts';

const caseData = {
  caseNumber: '12 Js 345/26',
  examiner: 'Dr. <Muster>',
  laboratory: { name: 'Lab & Co', address: ['Street 1'], sentences: ['On oath.'], logo: null },
};

describe.each(languages)('the HTML report in %s', (language) => {
  test('has every section of the PDF, and is the same for the same result', async () => {
    const heatmapDigests = { real: '', fake: '', compression: '', anomaly: '' };
    const sections = writeSections({ examination: full, item: fullItem, language, heatmapDigests });

    const html = await drawHtml(full, language);

    expect(html).toContain(`<html lang="${language}">`);
    for (const { title } of sections) expect(html).toContain(`<h2>${title}`);
    expect(await drawHtml(full, language)).toBe(html);
  });

  test('loads nothing: all pictures are embedded', async () => {
    const html = await drawHtml(full, language);

    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/(?:src|href)="(?!data:|#)/);
    expect(html).not.toContain('<script');
    expect(html.match(/<article>/g)?.length).toBeGreaterThanOrEqual(4);
  });

  test('escapes foreign text, and prints the case data', async () => {
    const html = await drawHtml(full, language, {
      ...fullItem,
      name: '<script>alert(1)</script>',
      caseData,
    });

    expect(html).not.toContain('<script>alert');
    expect(html).toContain('12 Js 345/26');
    expect(html).toContain('Dr. &lt;Muster&gt;');
    expect(html).toContain('Lab &amp; Co');
    expect(html).toContain('On oath.');
  });
});
