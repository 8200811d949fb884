/** `npm run manual`: the reference of README.md from the code, and the outputs of its examples from a run. */

import { writeFileSync } from 'node:fs';
import { blocksOf, manualPath, withBlock } from './manual.ts';
import { playConsole, playServer } from './play.ts';
import { withReference } from './reference.ts';
import { openStage } from './stage.ts';
import { wayOf } from './ways.ts';

let manual = withReference();
const stage = await openStage();
try {
  for (const block of blocksOf(manual)) {
    const way = wayOf[block.name];
    if (way === 'script') await stage.shell(block.text);
    if (way === 'output') manual = withBlock(manual, block, await playConsole(stage, block));
    if (way === 'server') manual = withBlock(manual, block, await playServer(stage, block));
  }
} finally {
  await stage.close();
}
writeFileSync(manualPath, manual);
