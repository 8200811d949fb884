/** `--surfaces FOLDER`: examines the pictures of a folder on the command line, and reads every surface back. */

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { AnalysisRecord } from '../../src/cli/analyze/record.ts';
import { languages } from '../../src/contract/vocabulary.ts';
import { bodyOf, readPages, textOfHtml } from '../../test/unit/render/pdf-text.ts';
import { readBundle } from './read-bundle.ts';
import { findContradictions, flat } from './surfaces.ts';

const program = resolve(import.meta.dirname, '../forensics.js');

/** Of an ordinary picture's report, before the annex. */
const mostPages = 4;

/** Prints contradictions, and a table of all. @returns whether there are none. */
export async function readSurfaces(folder: string, limit: number): Promise<boolean> {
  const out = await mkdtemp(join(tmpdir(), 'surfaces-'));
  const counts = new Map<string, { pictures: number; contradictions: number; pages: number[] }>();
  const args = ['analyze', '-r', folder, '--tier', 'forensicReporting', '--html', '--jsonl'];
  const child = spawn(process.execPath, [program, ...args, '-o', out], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let read = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const record: AnalysisRecord = JSON.parse(line);
    if (record.verdict === null) continue;
    const { found, pages } = await readRecord(record);
    const long = pages > mostPages ? [`${pages} pages before the annex`] : [];
    for (const one of [...found, ...long]) process.stdout.write(`${record.file}: ${one}\n`);
    const count = counts.get(record.verdict) ?? { pictures: 0, contradictions: 0, pages: [] };
    counts.set(record.verdict, {
      pictures: count.pictures + 1,
      contradictions: count.contradictions + found.length,
      pages: [...count.pages, pages],
    });
    read += 1;
    if (read === limit) {
      child.kill();
      break;
    }
  }
  await rm(out, { recursive: true });
  for (const [verdict, { pictures, contradictions, pages }] of counts) {
    const fits = pages.filter((one) => one <= mostPages).length;
    process.stdout.write(
      `${verdict}: ${pictures} pictures, ${contradictions} contradictions, body of four pages or fewer ${fits}\n`,
    );
  }
  return [...counts.values()].every(({ contradictions }) => contradictions === 0);
}

/** Contradictions in both languages, and how many pages come before the annex. */
async function readRecord(record: AnalysisRecord) {
  const found: string[] = [...(await readBundle(record))];
  let most = 0;
  for (const language of languages) {
    const [pdfFile, htmlFile, resultFile] = [
      `report-${language}.pdf`,
      `report-${language}.html`,
      'result.json',
    ].map((name) => record.files.find((file) => file.endsWith(`/${name}`)) ?? '');
    const pages = readPages(await readFile(pdfFile ?? ''));
    const textOf = (some: typeof pages) => flat(bodyOf(some));
    const annex = pages.findIndex(({ text }) => /(?:^|\n)A {2}\S/.test(text));
    most = Math.max(most, annex);
    found.push(
      ...findContradictions({
        record,
        language,
        firstPage: textOf(pages.slice(0, 1)),
        pdf: textOf(pages),
        html: flat(textOfHtml(await readFile(htmlFile ?? '', 'utf8'))),
      }).map((one) => `${language}, ${one}`),
    );
    const stored = await readFile(resultFile ?? '', 'utf8');
    const { statement } = record.evidence ?? {};
    if (!stored.includes(JSON.stringify(statement?.[language] ?? ''))) {
      found.push(`${language}, result.json: strength differs`);
    }
  }
  return { found, pages: most };
}
