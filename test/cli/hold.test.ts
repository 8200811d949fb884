import { expect, test } from 'vitest';
import { emptyFolder, runHere } from './run-cli.ts';

test('a hold on a tenant is added, listed and removed; each error has its exit code', async () => {
  const dataDir = await emptyFolder();
  const run = async (...args: string[]) => runHere([...args, '--data-dir', dataDir]);
  await run('tenant', 'create', 'acme');
  const add = ['hold', 'add', '--tenant', 'acme'];

  const made = await run(...add, '--reason', 'case 17\u001b[31m', '--json');
  const again = await run(...add);
  const foreign = await run(...add, '--analysis', 'f'.repeat(24));
  const listed = await run('hold', 'list', '--tenant', 'acme');
  const json = await run('hold', 'list', '--tenant', 'acme', '--json');
  const lifted = await run('hold', 'remove', '--tenant', 'acme');
  const twice = await run('hold', 'remove', '--tenant', 'acme');
  const none = await run('hold', 'list', '--tenant', 'acme');
  const nobody = await run('hold', 'list', '--tenant', 'nobody');

  const codes = [made, again, foreign, listed, lifted, twice, none, nobody];
  expect(codes.map(({ code }) => code)).toEqual([0, 5, 4, 0, 0, 4, 0, 4]);
  expect(JSON.parse(made.stdout)).toMatchObject({ analysisId: null, reason: 'case 17\u001b[31m' });
  expect(JSON.parse(json.stdout)).toEqual([JSON.parse(made.stdout)]);
  expect(listed.stdout).toMatch(/^everything +\d{4}-\d\d-\d\d +case 17/m);
  expect(listed.stdout).not.toContain('\u001b');
  expect(again.stderr).toContain('already on hold');
  expect(none.stderr).toContain('There are no holds.');
});
