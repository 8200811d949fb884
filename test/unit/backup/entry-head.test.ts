import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { archiveEnd, decodeHead, encodeHead, isHoldable } from '../../../src/backup/entry-head.ts';
import { temporaryFolder } from '../db/temporary.ts';

const at = Date.UTC(2026, 10, 21, 21, 30, 5) / 1000;
const object = `blobs/b-${'0'.repeat(24)}/objects/ab/${'ab'.repeat(32)}`;
const heads = [
  { name: 'forensics.db', sizeBytes: 0, at },
  { name: object, sizeBytes: 0o77777777777, at },
  { name: 'models/größe.onnx', sizeBytes: 9 * 1024 ** 3, at },
];

test.each(heads)('the head of $name is read as it was written', (head) => {
  expect(decodeHead(encodeHead(head))).toEqual(head);
});

test('every changed bit of a head is noticed', () => {
  for (const head of heads) {
    const block = encodeHead(head);
    for (let bit = 0; bit < 8 * block.length; bit++) {
      const changed = Buffer.from(block);
      changed[bit >> 3]! ^= 1 << (bit & 7);

      expect(decodeHead(changed)).toBeNull();
    }
  }
});

test('tar reads the heads, also of more than 8 GiB', () => {
  const file = join(temporaryFolder(), 'heads.tar');
  // The sizes are told before the contents are missed.
  const listed = heads.map((head) => {
    writeFileSync(file, Buffer.concat([encodeHead(head), archiveEnd]));
    return execFileSync(
      'bash',
      ['-c', `TZ=UTC LC_ALL=C.UTF-8 tar -tvf "$0" 2>/dev/null || true`, file],
      {
        encoding: 'utf8',
      },
    );
  });

  for (const [index, { name, sizeBytes }] of heads.entries()) {
    const [rights, owner, size, ...rest] = listed[index]!.trim().split(/\s+/);
    expect([rights, owner, Number(size)]).toEqual(['-rw-------', '0/0', sizeBytes]);
    expect(rest).toEqual(['2026-11-21', '21:30', name]);
  }
});

test.each([
  ['a'.repeat(100), true],
  ['a'.repeat(101), false],
  [`${'a'.repeat(155)}/${'b'.repeat(100)}`, true],
  [`${'a'.repeat(156)}/b`, false],
  [`${'ä'.repeat(78)}/${'b'.repeat(50)}`, false],
  ['', false],
])('whether the format can hold %j', (name, holds) => {
  expect(isHoldable(name)).toBe(holds);
});
