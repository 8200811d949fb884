import { expect, test } from 'vitest';
import { orRevoke } from '../../../src/cli/commands/keys.ts';
import type { KeyEntry } from '../../../src/contract/keys.ts';
import { ForensicsError } from '../../../src/errors.ts';

const key: KeyEntry = {
  uuid: '01234567-89ab-4def-8123-456789abcdef',
  name: 'ci',
  createdDate: '2026-03-01T00:00:00.000Z',
  expiresAt: '2026-04-01T00:00:00.000Z',
  lastUsedDate: null,
  ended: null,
  secret: 'sk-tag12345-secret',
};
const newKey = { tenant: 'acme', key };
const full = new ForensicsError('no_space_left', 'There is no space left.');
const refuse = async () => Promise.reject(new ForensicsError('server_unreachable', 'Away.'));

test('the error names a key that could not be revoked, but not its secret', async () => {
  const kept = orRevoke({ revoke: refuse }, newKey, async () => Promise.reject(full));

  await expect(kept).rejects.toThrow(`(${key.uuid}) could not be revoked either`);
  await expect(kept).rejects.not.toThrow(key.secret);
});
