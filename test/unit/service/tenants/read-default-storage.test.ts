import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  proveDefaultStorage,
  readDefaultStorage,
} from '../../../../src/service/tenants/merge-storage.ts';
import { type ErrorCode, ForensicsError } from '../../../../src/errors.ts';
import { temporaryFolder } from '../../ports/db/temporary.ts';

const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';

function fileWith(text: string, mode = 0o600): string {
  const file = join(temporaryFolder(), 'default-storage.json');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

function errorOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe('an unusable file is reported without its content', () => {
  test.each([
    ['truncated JSON', `{ "s3": { "secretAccessKey": "${secret}"`, /is not valid JSON/],
    ['broken JSON', `{"s3":{"secretAccessKey":${secret}}}`, /is not valid JSON/],
    ['a missing member', `{ "s3": { "secretAccessKey": "${secret}" } }`, /s3\.endpoint is missing/],
    ['a list', `["${secret}"]`, /must be an object/],
  ])('%s', (_what, text, message) => {
    const error = errorOf(() => readDefaultStorage(fileWith(text)));

    expect(error).toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(message),
    });
    const { cause } = error instanceof Error ? error : {};
    expect(`${String(error)} ${String(cause)}`).not.toContain(secret.slice(0, 6));
  });

  test('a missing file', () => {
    const error = errorOf(() => readDefaultStorage(join(temporaryFolder(), 'none.json')));

    expect(error).toMatchObject({
      code: 'config_invalid',
      message: 'The defaultStorage file cannot be read. Check its path and its permissions.',
    });
  });
});

const failingStore = (code: ErrorCode) => ({
  async prove() {
    throw new ForensicsError(code, 'What the store said.');
  },
});
const workingStore = { prove: async () => undefined };

async function prove(shared: { prove(): Promise<void> }, mode?: number): Promise<unknown[]> {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  await proveDefaultStorage(fileWith('{}', mode), { shared, onError });
  return errors;
}

describe('at the start', () => {
  test('a working store is not reported', async () => {
    expect(await prove(workingStore)).toEqual([]);
  });

  test('a store that refuses us ends it, with the store’s message', async () => {
    await expect(prove(failingStore('store_refused'))).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('What the store said.'),
    });
  });

  test.each(['store_unavailable', 'no_space_left'] as const)(
    'a store that may recover is reported (%s)',
    async (code) => {
      expect(await prove(failingStore(code))).toMatchObject([{ code }]);
    },
  );

  test.each([0o640, 0o604])('a file that others can read is reported (%o)', async (mode) => {
    expect(await prove(workingStore, mode)).toMatchObject([
      { message: expect.stringContaining('chmod 600') },
    ]);
  });
});
