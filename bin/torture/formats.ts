/**
 * Hostile files of each format, read and decoded by a child process. Each must give a picture or an
 * error code for pictures, and a valid file is read right after them. No child process may die,
 * take 20 s or use too much memory.
 */

import { type Format, formats } from '../../src/contract/vocabulary.ts';
import { toForensicsError } from '../../src/contract/errors.ts';
import { createPool } from '../../src/examiner/pool.ts';
import { fileOf, formatFile } from '../../test/fixtures/formats.ts';
import { createRandom } from '../../test/fixtures/noise.ts';
import { makePdf } from '../../test/fixtures/pdf-file.ts';
import { mutated } from './mutate.ts';
import { kept } from './pictures.ts';
import { demand, percentile, pick, type Proof } from './proof.ts';

const taskTimeoutMs = 20_000;
const memoryLimitBytes = 1_800_000_000;
const atOnce = 2;
/** The share of files that are deliberately kept valid. */
const soundShare = 1 / 100;
/** For each format; the run ends here if its time has not run out before. */
const mostTried = 10_000;

export async function proveFormats(proof: Proof): Promise<void> {
  const entry = new URL('./open-child.ts', import.meta.url);
  const pool = createPool({ entry, size: atOnce, taskTimeoutMs, memoryLimitBytes });
  const bases = await Promise.all(
    [...formats, 'pdf' as const].map(async (format) => ({
      format,
      files: await filesOf(format),
      shown: 0,
      refused: 0,
      times: [] as number[],
    })),
  );

  async function tryOne(number: number): Promise<void> {
    const base = bases[number % bases.length]!;
    const random = createRandom(proof.seed * 1_000_003 + number);
    const file = pick(random, base.files);
    const isSound = random() < soundShare;
    const bytes = isSound ? file : mutated(random, file);
    const begun = performance.now();
    const code = await pool.run(bytes).then(
      () => 'shown',
      (error: unknown) => toForensicsError(error).code,
    );
    base.times.push(performance.now() - begun);
    if (code === 'shown') base.shown++;
    else base.refused++;
    const isRight = isSound ? code === 'shown' : /^(?:shown|image_\w+)$/.test(code);
    demand(
      isRight,
      `${code} from file ${number}${isRight ? '' : `, a ${base.format}, the file ${kept(bytes)}`}`,
    );
  }

  try {
    let tried = 0;
    const lines = Array.from({ length: atOnce }, async () => {
      while (!proof.isOver() && tried < mostTried * bases.length) await tryOne(tried++);
    });
    await Promise.all(lines);
  } finally {
    await pool.close();
  }
  for (const { format, shown, refused, times } of bases) {
    const [p99, longest] = [0.99, 1].map((share) => percentile(times, share).toFixed(0));
    proof.note(format, `${shown} shown, ${refused} refused, p99 ${p99} ms, longest ${longest} ms`);
  }
}

async function filesOf(format: Format | 'pdf'): Promise<readonly Buffer[]> {
  if (format === 'pdf') return [await claim()];
  if (format !== 'heic') return [await fileOf(format)];
  const others = ['alpha', 'deep', 'two'].map((name) => formatFile(`${name}.heic`));
  return Promise.all([fileOf(format), ...others]);
}

/** Uncompressed, so that the changed bytes are read. */
async function claim(): Promise<Buffer> {
  const picture = await fileOf('jpg');
  const draw = (pdf: PDFKit.PDFDocument) =>
    pdf.text('Claim 4711').image(picture, 72, 144).addPage().text('Page two');
  return Buffer.from(await makePdf(draw, { compress: false }));
}
