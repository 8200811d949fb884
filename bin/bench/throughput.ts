/** (c): flagging analyses a second with a child for every two cores, as in `analyze`, and with one for every core. */

import { availableParallelism } from 'node:os';
import { createSandbox } from '../../src/examiner/sandbox.ts';
import { type Row, timed } from './figures.ts';
import { sceneOf, type Size } from './sizes.ts';

export async function benchThroughput(size: Size, pictures: number): Promise<readonly Row[]> {
  const bytes = await sceneOf(size);
  const cores = availableParallelism();
  const children = Math.max(1, cores >> 1);
  return [
    {
      what: `(c) pool of ${children}`,
      value: await picturesASecond(bytes, children, pictures),
      unit: 'pictures/s',
    },
    {
      what: `pool of ${cores}`,
      value: await picturesASecond(bytes, cores, pictures),
      unit: 'pictures/s',
    },
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
