import { afterAll, beforeAll, expect, test } from 'vitest';
import { playLibrary } from './library.ts';
import { type Block, blocksOf, readManual } from './manual.ts';
import { playConsole, playServer } from './play.ts';
import { openStage, type Stage } from './stage.ts';
import { type Way, wayOf } from './ways.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage.close());

/** In the order of the manual: a reader who follows it has what the next block needs. */
const blocksOfWay = (...ways: readonly Way[]): readonly (readonly [string, Block])[] =>
  blocksOf(readManual())
    .filter(({ name }) => ways.includes(wayOf[name] ?? 'file'))
    .map((block) => [block.name, block]);

test.for(blocksOfWay('output', 'server', 'script', 'library'))(
  'the block "%s" does what the manual says; "npm run manual" writes new outputs',
  // As long as the stage lets a block run.
  { timeout: 180_000 },
  async ([name, block]) => {
    const way = wayOf[name];

    if (way === 'output') expect(await playConsole(stage, block)).toBe(block.text);
    else if (way === 'server') expect(await playServer(stage, block)).toBe(block.text);
    else {
      const told = way === 'script' ? await playScript(block) : await playLibrary(stage, block);

      expect(told).toEqual({ code: 0, text: expect.anything() });
    }
  },
);

async function playScript({ text }: Block) {
  const told = await stage.shell(`set -e -o pipefail\n${text}`);
  // With what it said: a number alone would help nobody.
  return told.code === 0 ? told : { ...told, code: `${told.code}: ${told.text}` };
}
