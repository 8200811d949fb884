import { expect, test } from 'vitest';
import { toDiskError } from '../../../../src/ops/backup/contents.ts';
import { requireFreeSpace } from '../../../../src/ports/files/files.ts';
import { temporaryFolder } from '../../ports/db/temporary.ts';

test('what will not fit is refused before writing, with the space needed', async () => {
  const folder = temporaryFolder();

  await expect(requireFreeSpace(folder, 1e6)).resolves.toBeUndefined();
  await expect(requireFreeSpace(folder, 1e18)).rejects.toMatchObject({
    code: 'no_space_left',
    message: expect.stringMatching(/^1000000000017 MB are needed and \d+ MB are free/),
  });
});

test.each([
  ['ENOSPC', 'no_space_left'],
  ['EDQUOT', 'no_space_left'],
  ['EACCES', 'output_not_writable'],
])('%s from the file system becomes %s', (code, ours) => {
  const error = Object.assign(new Error(code), { code, syscall: 'write' });

  expect(toDiskError(error, 'The folder')).toMatchObject({ code: ours, cause: error });
});
