import type { Decision } from '../../src/detectors/result.ts';
import type { Models } from '../../src/engine/schedule.ts';
import { decodePicture } from '../../src/image/decode.ts';
import { drawings } from './drawn.ts';
import { examineUnderAll } from './examine-under-all.ts';

/** No drawing, screenshot or page may be decided, and none has a changed part. */
export async function measureDrawn(both: Models): Promise<void> {
  const decided = new Map<string, Decision[]>();
  for await (const { kind, file } of drawings()) {
    const { decisions } = await examineUnderAll(await decodePicture(file), both);
    decided.set(kind, [...(decided.get(kind) ?? []), decisions.default]);
  }
  for (const [kind, some] of [...decided, ['all', [...decided.values()].flat()] as const]) {
    const count = (is: (one: Decision) => boolean) => some.filter(is).length;
    const told = [
      ...(['abstain', 'uncertain', 'real', 'fake'] as const).map(
        (name) => `${count(({ resultClass }) => resultClass === name)} ${name}`,
      ),
      `${count(({ reasons }) => reasons.includes('manipulation_suspected'))} suspected of a change`,
      `${count(({ resultSubClasses }) => resultSubClasses.includes('manipulated'))} called manipulated`,
    ];
    process.stdout.write(`${kind}: ${some.length} pictures, ${told.join(', ')}\n`);
  }
}
