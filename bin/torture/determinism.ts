/** The same picture gives the same bytes: in every run, in parallel or alone, and after a restart of everything. */

import { createHash } from 'node:crypto';
import { createSandbox } from '../../src/examiner/sandbox.ts';
import { sceneJpeg, scenePng } from '../../test/fixtures/pictures.ts';
import { demand, type Proof } from './proof.ts';

const now = new Date('2026-01-31T12:00:00Z');
const options = { model: null, decisionStrategy: 'default', seed: 1337 } as const;
const runs = 3;

export async function proveDeterminism(proof: Proof): Promise<void> {
  let pictures = 0;
  let compared = 0;
  do {
    const batch = await Promise.all([drawn(proof, 'jpg'), drawn(proof, 'png')]);
    const known = batch.map(() => '');
    for (const poolSize of [1, 2]) {
      // A new one each time, so that processes start and models load again.
      const sandbox = createSandbox({ poolSize });
      for (let run = 0; run < runs; run++) {
        const works = batch.map(async (bytes) =>
          sandbox.examine({ source: { bytes }, options, now }),
        );
        const digests = (await Promise.all(works)).map(digestOf);
        digests.forEach((digest, at) => {
          known[at] ||= digest;
          demand(
            digest === known[at],
            `Picture ${pictures + at} gave different bytes with ${poolSize} at once.`,
          );
          compared += 1;
        });
      }
      await sandbox.close();
    }
    pictures += batch.length;
  } while (!proof.isOver());
  proof.note('pictures', pictures);
  proof.note('examinations compared', compared);
}

async function drawn({ random }: Proof, format: 'jpg' | 'png'): Promise<Buffer> {
  const side = (): number => 96 + Math.floor(400 * random());
  const size = { width: side(), height: side(), seed: Math.floor(1e6 * random()) };
  return format === 'png'
    ? scenePng(size)
    : sceneJpeg({ ...size, quality: 60 + Math.floor(35 * random()) });
}

/** Everything that was returned, including maps. */
function digestOf(examination: object): string {
  const text = JSON.stringify(examination, (_name, value: unknown) =>
    ArrayBuffer.isView(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
      : value,
  );
  return createHash('sha256').update(text).digest('hex');
}
