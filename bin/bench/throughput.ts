/** (c): flagging analyses a second with every child of the pool at work, and with one. */

import { availableParallelism } from 'node:os';
import { createSandbox } from '../../src/examiner/sandbox.ts';
import { type Row, timed } from './figures.ts';
import { sceneOf, type Size } from './sizes.ts';

export async function benchThroughput(size: Size, pictures: number): Promise<readonly Row[]> {
  const bytes = await sceneOf(size);
  const children = availableParallelism();
  const one = await picturesASecond(bytes, 1, pictures);
  const all = children === 1 ? one : await picturesASecond(bytes, children, pictures);
  return [
    { what: 'pool of 1', value: one, unit: 'pictures/s' },
    { what: `(c) pool of ${children}`, value: all, unit: 'pictures/s' },
  ];
}

async function picturesASecond(bytes: Buffer, poolSize: number, pictures: number): Promise<number> {
  const sandbox = createSandbox({ poolSize });
  const options = { model: null, decisionStrategy: 'default', seed: 1337 } as const;
  const examine = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        sandbox.examine({ source: { bytes }, options, forReport: false }),
      ),
    );
  // The timer starts once every child has started and loaded its model.
  await examine(2 * poolSize);
  const ms = await timed(() => examine(pictures * poolSize));
  await sandbox.close();
  return (pictures * poolSize * 1000) / ms;
}
