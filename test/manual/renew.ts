/** `npm run manual`: the reference of README.md from the code, and the outputs of its examples from a run. */

import { writeFileSync } from 'node:fs';
import { blocksOf, manualPath, withBlock } from './manual.ts';
import { play } from './play.ts';
import { withReference } from './reference.ts';
import { openStage } from './stage.ts';
import { wayOf } from './ways.ts';

let manual = await withReference();
const stage = await openStage();
try {
  for (const block of blocksOf(manual)) {
    const played = await play(stage, block, wayOf[block.name] ?? 'file').catch(told);
    manual = withBlock(manual, block, played ?? block.text);
  }
} finally {
  await stage.close();
}
writeFileSync(manualPath, manual);

/** A script that fails is no reason to throw the other outputs away. */
function told(error: unknown): null {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
  return null;
}
