import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readEntries } from '../unit/evidence/repack.ts';
import { newSigner, smallBundle, smallCase, signedAt } from '../unit/evidence/small-case.ts';
import { emptyFolder, refusedInOneLine, runCli, runHere } from './run-cli.ts';
import type { BundleCase } from '../../src/evidence/bundle-format.ts';
import { writeBundle } from '../../src/evidence/write-bundle.ts';
import { realCase } from '../unit/evidence/real-case.ts';
import { warmChildren } from '../unit/examiner/warm-children.ts';

const execute = promisify(execFile);

async function folderWithBundle() {
  const dir = await emptyFolder();
  const signer = newSigner();
  const bundle = smallBundle({ signer });
  await writeFile(join(dir, 'evidence.zip'), bundle);
  await writeFile(join(dir, 'key.pem'), signer.pem);
  await writeFile(join(dir, 'other.pem'), newSigner().pem);
  // Needs neither a data folder nor a home.
  const verify = (...args: string[]) =>
    runCli(['verify', 'evidence.zip', ...args], { cwd: dir, env: { HOME: '/nonexistent' } });
  return { dir, signer, bundle, verify };
}

describe('verify', () => {
  test('says what is valid, and that nobody vouched for the key', async () => {
    const { verify, signer } = await folderWithBundle();

    const ran = await verify();

    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^evidence\.zip: VALID, but no expected key was given\n/);
    expect(ran.stdout).toContain('none is missing and none was added');
    expect(ran.stdout).toContain(signer.fingerprint);
    expect(ran.stdout).toContain('Anyone could have signed');
  });

  test('compares the key with a file or a fingerprint in any spelling', async () => {
    const { verify, signer } = await folderWithBundle();
    const spelt = signer.fingerprint.toUpperCase().replaceAll(/(..)(?=.)/g, '$1:');

    const [byFile, byFingerprint, wrong, noKey] = await Promise.all([
      verify('--key', 'key.pem'),
      verify('--fingerprint', spelt),
      verify('--key', 'other.pem'),
      verify('--key', 'evidence.zip'),
    ]);

    expect(byFile.stdout).toMatch(/^evidence\.zip: VALID\n/);
    expect(byFile.stdout).toContain('This is the key you expected.');
    expect(byFingerprint).toMatchObject({ code: 0, stdout: byFile.stdout });
    expect(wrong.code).toBe(7);
    expect(wrong.stdout).toContain('Signed with a different key from the one expected');
    expect(noKey).toMatchObject({ code: 2, stdout: '' });
  });

  test('names what was changed and exits with 7, also with --json', async () => {
    const { verify, bundle, dir } = await folderWithBundle();
    bundle[bundle.indexOf(smallCase().original) + 9]! ^= 1;
    await writeFile(join(dir, 'evidence.zip'), bundle);

    const text = await verify();
    const json = await verify('--json');

    expect(text.code).toBe(7);
    expect(text.stdout).toMatch(
      /^evidence\.zip: NOT VALID\n +Problem +original\.jpg was changed\.\n/,
    );
    expect(text.stdout.replaceAll(/\s+/g, ' ')).toContain('is not the picture that was examined');
    expect(text.stdout).not.toContain('it has the SHA-256 that was examined');
    expect(json.code).toBe(7);
    const problems = [{ kind: 'changed', file: 'original.jpg' }];
    expect(JSON.parse(json.stdout)).toMatchObject({ holds: false, problems });
  });

  test('refuses a file that is not a bundle with one line', async () => {
    const { verify, dir } = await folderWithBundle();
    await writeFile(join(dir, 'evidence.zip'), 'hello');

    const text = await verify();
    const missing = await runCli(['verify', 'nothing.zip'], { cwd: dir });

    expect(text).toEqual(refusedInOneLine(1, 'forensics: This is not an evidence bundle: '));
    expect(missing).toMatchObject({ code: 4, stderr: 'forensics: There is no such file.\n' });
  });
});

const hasTools = await execute('sh', ['-c', 'openssl version && command -v sha256sum']).then(
  ({ stdout }) => stdout.startsWith('OpenSSL 3'),
  () => false,
);

describe.runIf(hasTools)('the README of a bundle', () => {
  test('gives commands of other programs that prove the same', async () => {
    const { signer, outputs } = await unpacked();

    expect(outputs).toHaveLength(4);
    expect(outputs[0]).toContain('Signature Verified Successfully');
    expect(outputs[1]).toMatch(/^[0-9a-f]{64}\n$/);
    expect(outputs[2]).toMatch(/^public-key\.pem: OK\n(?:\S+: OK\n)+$/);
    expect(outputs[3]).toContain(signer.fingerprint);
  });

  test.for([
    ['manifest.json', 0],
    ['SHA256SUMS', 1],
    ['result.json', 2],
  ] as const)('has a command that fails when %s was changed', async ([file, at]) => {
    const { outputs } = await unpacked((dir) => writeFile(join(dir, file), ' ', { flag: 'a' }));

    expect(outputs[at]).toBe('failed');
  });
});

/** Unpacks a bundle, changes it, and returns the output of each command there. */
async function unpacked(change: (dir: string) => Promise<void> = async () => undefined) {
  const signer = newSigner();
  const dir = join(await emptyFolder(), 'unpacked');
  await mkdir(dir);
  for (const [name, bytes] of Object.entries(await readEntries(smallBundle({ signer })))) {
    await writeFile(join(dir, name), bytes);
  }
  const commands = await commandsIn(dir);
  await change(dir);
  const runs = commands.map((command) =>
    execute('bash', ['-c', command], { cwd: dir }).then(
      ({ stdout }) => stdout,
      () => 'failed',
    ),
  );
  return { signer, outputs: await Promise.all(runs) };
}

/** The commands of the README, line by line as pasted into a shell. */
async function commandsIn(dir: string): Promise<readonly string[]> {
  const readme = await readFile(join(dir, 'README.txt'), 'utf8');
  const commands = readme
    .replaceAll('\\\n', '')
    .matchAll(/^ {5}((?:openssl|grep|sha256sum) .*)$/gm);
  return [...commands].map((match) => match[1]!);
}

test('a rotation prints the new key and keeps the old public one, and no command a private one', async () => {
  const dataDir = join(await emptyFolder(), 'data');
  const run = (...args: string[]) => runHere(['signing-key', ...args, '--data-dir', dataDir]);

  const first = await run('export');
  const file = await readFile(join(dataDir, 'signing-keys', '0001.pem'), 'utf8');
  const shown = [await run('show'), await run('show', '--json'), await run('export', '--json')];
  const rotated = await run('rotate');
  const { keys }: { keys: Shown[] } = JSON.parse((await run('show', '--json')).stdout);

  const secret = /KEY-----\n(.+)\n/.exec(file)![1]!;
  for (const { stdout, stderr } of [first, ...shown, rotated])
    expect(stdout + stderr).not.toContain(secret);
  expect(rotated.stdout).toBe(`${keys[0]!.fingerprint}\n`);
  expect(keys.map(({ retiredAt }) => retiredAt === null)).toEqual([true, false]);
  expect(keys[1]!.publicKey).toBe(first.stdout);
});

interface Shown {
  readonly fingerprint: string;
  readonly publicKey: string;
  readonly retiredAt: string | null;
}

const real = await realCase(warmChildren());

async function bundleOf(bundleCase: BundleCase): Promise<string> {
  const how = { withOriginal: true, signer: newSigner(), signedAt };
  const file = join(await emptyFolder(), 'evidence.zip');
  await writeFile(file, writeBundle(bundleCase, how).bytes);
  return file;
}

test('a validly signed but false value is reported with the recomputed one, with exit code 7', async () => {
  const { examination } = real;
  const predictions = { ...examination.predictions, real: 0.999 };
  const file = await bundleOf({ ...real, examination: { ...examination, predictions } });

  const verified = await runHere(['verify', file]);
  const reproduced = await runHere(['reproduce', file]);

  expect(verified.code).toBe(0);
  expect(reproduced.code).toBe(7);
  expect(reproduced.stdout).toContain('evidence.zip: DIFFERENT\n');
  expect(reproduced.stdout).toMatch(/examination\.predictions\.real: 0\.999, now 0\.\d+/);
});

test('differences within the tolerance are listed, and so is another environment', async () => {
  const { examination, rendering } = real;
  const { anomaly, environment } = examination;
  const { en } = rendering.reports;
  const file = await bundleOf({
    ...real,
    examination: {
      ...examination,
      anomaly: { ...anomaly, score: anomaly.score! + 0.00002 },
      environment: { ...environment, cpu: 'Another' },
    },
    rendering: {
      ...rendering,
      reports: {
        ...rendering.reports,
        en: { ...en!, pdf: Buffer.concat([en!.pdf, Buffer.of(10)]) },
      },
    },
  });

  const { code, stdout } = await runHere(['reproduce', file]);

  expect(code).toBe(0);
  expect(stdout).toContain('evidence.zip: SAME RESULT, but not byte for byte\n');
  expect(stdout).toMatch(
    /examination\.anomaly\.score: [\d.]+, now [\d.]+ \(within the\s+tolerance\)/,
  );
  expect(stdout).toContain('report-en.pdf: different bytes, as expected from a different version');
  expect(stdout).toMatch(/cpu: Another in the bundle, .* here/);
});
