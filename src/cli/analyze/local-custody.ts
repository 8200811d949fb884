import type { CustodyEvent } from '../../report/item.ts';

/**
 * What a local run knows of the way of its file: that it was read and examined, by whoever typed the command. What was
 * before is for that person to say.
 *
 * @param sha256 - of the bytes that were examined.
 */
export function localCustody(sha256: string, examinedAt: Date): readonly CustodyEvent[] {
  const step = { at: examinedAt, actor: 'operator', hashes: [{ name: 'original', sha256 }] };
  return [
    { ...step, event: 'received' },
    { ...step, event: 'examined' },
  ];
}
