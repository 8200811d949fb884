import { createPublicKey } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSigningKeys, keysInFolder } from '../../src/evidence/sign.ts';
import { smallBundle } from '../unit/evidence/small-case.ts';
import { emptyFolder, runCli, runHere } from './run-cli.ts';

test('the first use creates the key, and rotate keeps the old one for verification', async () => {
  const dir = await emptyFolder();
  const dataDir = join(dir, 'data');
  const run = (...args: string[]) => runHere(['signing-key', ...args, '--data-dir', dataDir]);

  const first = await run('export');
  const signer = await createSigningKeys(keysInFolder(dataDir), () => new Date()).signer();
  await writeFile(join(dir, 'evidence.zip'), smallBundle({ signer }));
  const rotated = await run('rotate');
  const { keys }: { keys: Shown[] } = JSON.parse((await run('show', '--json')).stdout);

  expect(createPublicKey(first.stdout).asymmetricKeyType).toBe('ed25519');
  expect(keys.map(({ retiredAt }) => retiredAt === null)).toEqual([true, false]);
  expect(rotated.stdout).toBe(`${keys[0]!.fingerprint}\n`);
  expect(keys[1]!.publicKey).toBe(first.stdout);
  await writeFile(join(dir, 'old.pem'), keys[1]!.publicKey);
  expect(await runCli(['verify', 'evidence.zip', '--key', 'old.pem'], { cwd: dir })).toMatchObject({
    code: 0,
  });
});

test('no command prints the private key', async () => {
  const dataDir = join(await emptyFolder(), 'data');
  const run = (...args: string[]) => runHere(['signing-key', ...args, '--data-dir', dataDir]);

  const outputs = [await run('show'), await run('show', '--json'), await run('export', '--json')];

  const file = await readFile(join(dataDir, 'signing-keys', '0001.pem'), 'utf8');
  const secret = /KEY-----\n(.+)\n/.exec(file)![1]!;
  for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain(secret);
});

interface Shown {
  readonly fingerprint: string;
  readonly publicKey: string;
  readonly retiredAt: string | null;
}
