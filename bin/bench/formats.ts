/** (f): the largest files that phones and offices send, from the start of the command line to the verdicts. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePdf } from '../../test/fixtures/pdf-file.ts';
import { type Held, watch } from './command.ts';
import type { Row } from './figures.ts';
import { sceneOf } from './sizes.ts';

const phone = { megapixels: 48, width: 8064, height: 6048 };
const pages = 40;

export async function benchFormats(): Promise<readonly Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'forensics-bench-'));
  try {
    const jpeg = join(dir, 'phone.jpg');
    const heic = join(dir, 'phone.heic');
    writeFileSync(jpeg, await sceneOf(phone));
    // The package has no HEIC encoder, so libheif's own is used if it is installed.
    const isMade = spawnSync('heif-enc', ['-q', '60', jpeg, '-o', heic]).status === 0;
    const pdf = join(dir, 'claim.pdf');
    const picture = await sceneOf({ megapixels: 1, width: 1024, height: 1024 });
    writeFileSync(pdf, await makePdf((doc) => drawClaim(doc, picture)));
    return [
      ...(isMade ? rowsOf('48 MP HEIC', await watch(['analyze', heic])) : []),
      ...rowsOf(`PDF of ${pages} pages`, await watch(['analyze', pdf])),
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A photograph on every second page. */
function drawClaim(doc: PDFKit.PDFDocument, picture: Buffer): void {
  for (let page = 1; page <= pages; page++) {
    if (page > 1) doc.addPage();
    doc.text(`Page ${page} of the claim. `.repeat(60), 72, 72);
    if (page % 2 === 0) doc.image(picture, 72, 400, { width: 300 });
  }
}

function rowsOf(what: string, { ms, parentMb, childMb }: Held): readonly Row[] {
  return [
    { what: `${what}, start to verdict`, value: ms, unit: 'ms' },
    { what: `${what}, peak of the parent`, value: parentMb, unit: 'MB', atMost: 250 },
    { what: `${what}, peak of a child`, value: childMb, unit: 'MB', atMost: 1800 },
  ];
}
