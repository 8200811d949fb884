import { afterAll, expect, test } from 'vitest';
import { blocksOf, readManual } from '../../bin/manual/manual.ts';
import { play } from '../../bin/manual/play.ts';
import { openStage } from '../../bin/manual/stage.ts';
import { type Way, wayOf } from '../../bin/manual/ways.ts';

const stage = await openStage();
afterAll(() => stage.close());

// In the order of the manual, as a block may need what earlier ones created.
const elsewhere: readonly (Way | undefined)[] = ['install', 'pipeline', 'file', undefined];
const blocks = blocksOf(readManual()).filter(({ name }) => !elsewhere.includes(wayOf[name]));

test.for(blocks.map((block) => [block.name, block] as const))(
  'the block "%s" does what the manual says; "npm run manual" updates outputs',
  // The same time that the stage allows a block.
  { timeout: 180_000 },
  async ([name, block]) => {
    const played = await play(stage, block, wayOf[name]!);

    expect(played).toBe(block.text);
  },
);
