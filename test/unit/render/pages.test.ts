/** How a report is paginated, for pictures of every shape, with everything that a case can add to the first page. */

import { beforeAll, describe, expect, test } from 'vitest';
import { type Language, languages } from '../../../src/contract/vocabulary.ts';
import type { Examination } from '../../../src/detectors/result.ts';
import { renderPdf } from '../../../src/render/pdf/pdf.ts';
import type { ReportItem } from '../../../src/present/report-item.ts';
import type { Section } from '../../../src/present/sections/blocks.ts';
import { writeSections } from '../../../src/present/sections/sections.ts';
import { wordsIn } from '../../../src/present/wording/catalogue.ts';
import { makeExamination, ratios } from '../present/examination.ts';
import { draw, full, fullItem } from '../present/full-report.ts';
import { type PdfPage, readPages } from './pdf-text.ts';

const item: ReportItem = {
  ...fullItem,
  caseData: {
    caseNumber: '12 Js 345/26',
    exhibit: '4.2',
    examiner: 'Dr. Erika Mustermann',
    note: 'Handed over on a sealed USB stick; the seal was intact.',
    laboratory: {
      name: 'Lab',
      address: ['Street 1', '12345 Town'],
      sentences: ['On oath.'],
      logo: null,
    },
  },
};

const shapes = [
  { width: 400, height: 400 },
  { width: 260, height: 460 },
  { width: 520, height: 300 },
  { width: 1200, height: 150 },
];

const outcomes: Readonly<Record<string, Partial<Parameters<typeof makeExamination>[0]>>> = {
  fake: {},
  real: { resultClass: 'real' },
  uncertain: {
    resultClass: 'uncertain',
    reasons: ['manipulation_suspected', 'single_weak_method'],
  },
  abstain: { resultClass: 'abstain', reasons: ['no_usable_trace', 'outside_training_domain'] },
};

const cases = shapes.flatMap((size) =>
  Object.entries(outcomes).map(([outcome, given]) => ({
    name: `${outcome}, ${size.width} x ${size.height}`,
    examination: {
      ...makeExamination({ ...size, ...given }),
      provenance: full.provenance,
      measured: full.measured,
    },
  })),
);

describe.each(cases)('the pages of a report: $name', ({ examination }) => {
  let drawn: Drawn;
  beforeAll(async () => {
    drawn = await draw(examination);
  });

  test.each(languages)(
    '%s: first page, main part, and nothing separated from its context',
    async (language) => {
      const { sections, pages } = await lay(examination, drawn, language);
      const { labels } = wordsIn(language);

      // The whole first section, which ends with the file's checksum.
      expect(flat(pages[0]!)).toContain(examination.facts.sha256);
      const annex = pages.findIndex(({ pieces }) =>
        pieces.some(({ text }) => text === `A  ${labels.sections.item}`),
      );
      expect(annex).toBeGreaterThan(2);
      expect(annex).toBeLessThanOrEqual(6);
      const headings = new Set(sections.flatMap(headingsOf));
      for (const page of pages.slice(1)) {
        expect(headings).not.toContain(lastOf(page));
        expect(lastOf(page)).not.toMatch(/:$/);
      }
      const flowing = sections.flatMap(flowingOf);
      const firstLines = pages.slice(1).map(firstOf);
      const alone = flowing.filter((text) =>
        firstLines.some((line) => text !== line && text.endsWith(` ${line}`)),
      );
      expect(alone).toEqual([]);
    },
  );
});

test.each(languages)(
  '%s: an ordinary picture has at most four pages before the annex',
  async (language) => {
    const base = makeExamination({ width: 400, height: 533, resultClass: 'real' });
    const [calls] = base.measuredCalls;
    const program = 'Adobe Photoshop Lightroom Classic 12.3 (Macintosh)';
    const counts = { pictures: 118, called: 30, suspected: 19 };
    const kinds = (['splice', 'copy-move', 'removal', 'regenerated'] as const).map((kind) => {
      return { kind, ...counts };
    });
    const history = [1, 2].map((at) => {
      return {
        action: 'saved',
        software: `${program} ${at}`,
        when: '2026-02-09',
        parameters: null,
      };
    });
    const examination: Examination = {
      ...base,
      measuredCalls: [{ ...calls!, kinds, unchanged: counts, ratios: { ...ratios, prior: 0.2 } }],
      measured: base.measured.map((one) => ({ ...one, ratios: { ...ratios, prior: 0.5 } })),
      manipulation: { ...base.manipulation!, probability: 0.05 },
      provenance: {
        ...base.provenance,
        history,
        software: [{ kind: 'camera', name: 'Camera with a long name', place: 'exif' }],
        inconsistencies: [
          { code: 'modified_after_capture', values: { minutes: 24_480 }, measures: {} },
          {
            code: 'xmp_history_of_editing',
            values: { steps: 2, last: { software: program, when: '2026-02-09' } },
            measures: {},
          },
        ],
      },
    };
    const own = { name: item.name, analysisId: null, examinedAt: item.examinedAt };
    const { pages } = await lay(examination, await draw(examination), language, own);
    const { sections } = wordsIn(language).labels;

    expect(flat(pages[0]!)).toContain(examination.facts.sha256);
    expect(
      pages.findIndex((page) => flat(page).includes(`A  ${sections.item}`)),
    ).toBeLessThanOrEqual(4);
  },
);

type Drawn = Awaited<ReturnType<typeof draw>>;

async function lay(
  examination: Examination,
  drawn: Drawn,
  language: Language,
  own: ReportItem = item,
) {
  const report = { examination, item: own, language };
  const heatmapDigests = { real: '', fake: '', compression: '', anomaly: '' };
  return {
    sections: writeSections({ ...report, heatmapDigests }),
    pages: readPages(await renderPdf({ ...report, prints: drawn.prints })),
  };
}

function headingsOf({ title, blocks }: Section): readonly string[] {
  return [title, ...blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : []))];
}

/** Text that may continue on the next page. */
function flowingOf({ blocks }: Section): readonly string[] {
  return blocks.flatMap((block) =>
    block.kind === 'list' ? block.items : block.kind === 'paragraph' ? [block.text] : [],
  );
}

/** The highest line between header and footer. */
function firstOf({ pieces }: PdfPage): string {
  const body = pieces.filter(({ y, text }) => y > 84 && y < 776 && text.trim() !== '–');
  return body.toSorted((one, other) => other.y - one.y)[0]?.text.trim() ?? '';
}

/** The lowest line between header and footer. */
function lastOf({ pieces }: PdfPage): string | undefined {
  const body = pieces.filter(({ y }) => y > 84 && y < 776);
  const lowest = Math.min(...body.map(({ y }) => y));
  // The whole line: the label of a row can read like a heading.
  const line = body.filter(({ y }) => Math.abs(y - lowest) < 1);
  return line.map(({ text }) => text.trim()).join(' ');
}

function flat({ pieces }: PdfPage): string {
  return pieces.map(({ text }) => text).join('');
}
