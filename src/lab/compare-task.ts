import { readSamples, type Samples } from '../image/samples.ts';
import type { PixelDifference } from './lab.ts';
import type { ChildSettings } from './tasks.ts';

export async function performCompare(
  { one, other }: { readonly one: Uint8Array; readonly other: Uint8Array },
  { limits }: ChildSettings,
): Promise<PixelDifference | null> {
  const [a, b] = [await readSamples(one, limits), await readSamples(other, limits)];
  return a !== null && b !== null && isSameKind(a, b) ? difference(a, b) : null;
}

function isSameKind(a: Samples, b: Samples): boolean {
  return (
    a.width === b.width && a.height === b.height && a.channels === b.channels && a.bits === b.bits
  );
}

function difference(a: Samples, b: Samples): PixelDifference {
  const count = a.values.length;
  let differing = 0;
  let largest = 0;
  for (let i = 0; i < count; i++) {
    const distance = Math.abs(a.values[i]! - b.values[i]!);
    if (distance > 0) differing++;
    if (distance > largest) largest = distance;
  }
  return { differing, largest: largest / (2 ** a.bits - 1) };
}
