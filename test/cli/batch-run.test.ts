import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { AnalyzeOptions } from '../../src/cli/options.ts';
import { toFailedRecord } from '../../src/cli/analyze/record.ts';
import { openReporter } from '../../src/cli/analyze/reporter.ts';
import { runAnalyze } from '../../src/cli/analyze/run.ts';
import { createProgram } from '../../src/cli/main.ts';
import { ForensicsError } from '../../src/contract/errors.ts';
import { options, prepareFake } from './fake-examiner.ts';
import { emptyFolder, startCli } from './run-cli.ts';

/** Runs in this process with the fake examiner; folders and files are real. */
async function batch(
  files: readonly string[],
  wanted: Partial<AnalyzeOptions>,
  prepare = prepareFake(),
  args: readonly string[] = files,
) {
  const cwd = await emptyFolder();
  for (const file of files) {
    await mkdir(join(cwd, file, '..'), { recursive: true });
    await writeFile(join(cwd, file), '');
  }
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const run = () => runAnalyze(args, { ...options, ...wanted }, prepare);
    const { answer: code, ...output } = await printed(() => run().catch((error: unknown) => error));
    return { cwd, code, ...output };
  } finally {
    process.chdir(before);
  }
}

/** What is written to standard output and standard error meanwhile. */
async function printed<T>(act: () => Promise<T>) {
  // Resets options such as --quiet left over from an earlier command in this process.
  createProgram([]);
  const output = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      output[name] += String(text);
      return true;
    }),
  );
  try {
    const answer = await act();
    return { answer, ...output };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const names = (word: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${word}-${n}.jpg`);

const five = ['real.jpg', 'fake.jpg', '=cmd|x.jpg', 'abstain.png', 'no, "pic"\nture\u001b[2J.jpg'];

describe('one document on standard output:', () => {
  test('--json is streamed and equals the document written in one go', async () => {
    const { stdout } = await batch(five, { json: true });

    const document: unknown = JSON.parse(stdout);
    expect(stdout).toBe(`${JSON.stringify(document, null, 2)}\n`);
    expect(document).toMatchObject({
      analyses: five.map((file) => ({ file })),
      summary: { real: 1, fake: 1, abstain: 1, uncertain: 0, failed: 2 },
    });
  });

  test('--csv has one row per picture and no cell that a spreadsheet would execute', async () => {
    const { stdout, code } = await batch(five, { csv: true });

    const [head, ...rows] = stdout.split('\r\n');
    expect(code).toBe(1);
    expect(head).toBe(
      'file,sha256,verdict,subClasses,reasons,fakeProbability,uncertainty,width,height,format,bytes,model,tier,seconds,errorCode,errorMessage,changeProbability,skipped,takenFrom,copyOf,seenBefore',
    );
    expect(rows[1]).toMatch(
      /^fake\.jpg,[0-9a-f]{64},fake,ai-generated,,0\.971,0\.018,200,150,jpg,\d+,[\w-]+ [\d.]+,flagging,1\.5,,,0\.12,,,,$/,
    );
    expect(rows[2]).toBe(
      `'=cmd|x.jpg,,,,,,,,,,,,flagging,1.5,image_unreadable,"It is ""no"" <picture>.",,,,,`,
    );
    expect(rows[3]).toMatch(/^abstain\.png,\w+,abstain,,too_small too_compressed,,,200,150,/);
    expect(rows[4]!.split(',,')[0]).toBe('"no, ""pic""\nture\u001b[2J.jpg"');
    expect(rows.slice(5)).toEqual(['']);
  });
});

const onFullDisk = prepareFake('no_space_left');

test('a full disk ends the run with one line; finished results are kept', async () => {
  const files = ['real-1.jpg', 'fake-2.jpg', 'bad.jpg', ...names('real', 50)];

  const { stdout, stderr, code } = await batch(files, { jsonl: true, jobs: 1 }, onFullDisk);

  expect(code).toMatchObject({ code: 'no_space_left', exitCode: 6 });
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(stderr).toMatch(/^Stopped\. 2 pictures: 1 without signs, 1 with signs; .*\n$/);
});

test('an aborted run prints the pictures that are finished', async () => {
  const files = ['real-1.jpg', 'fake-2.jpg', 'bad.jpg', 'real-3.jpg'];
  const several = await batch(files, { jobs: 1 }, onFullDisk);
  const none = await batch(['bad.jpg', 'real-1.jpg'], { jobs: 1 }, onFullDisk);

  expect(several.stdout).toMatch(
    /^PICTURE .*\nreal-1\.jpg +no sign found .*\nfake-2\.jpg +looks generated .*\n$/,
  );
  expect(none).toMatchObject({ stdout: '', stderr: '' });
});

test('a table holds a hundred thousand pictures', async () => {
  const details = { examinedAt: new Date(0), durationMs: 1500, options };
  const failure = new ForensicsError('file_not_found', 'It is gone.');

  const { answer, stdout, stderr } = await printed(async () => {
    const reporter = await openReporter([], options);
    for (const file of names('gone', 100_000)) {
      // oxlint-disable-next-line no-await-in-loop -- in order, as a run reports them
      await reporter.report(toFailedRecord({ ...details, file }, failure));
    }
    return reporter.finish();
  });

  expect(answer.counts.failed).toBe(100_000);
  expect(stdout.trimEnd().split('\n')).toHaveLength(100_001);
  expect(stderr).toContain('100000 pictures: 100000 failed');
});

test('a full disk under standard output gives a one-line error', async () => {
  const shell = '"$@" > /dev/full';
  const ran = await startCli(['analyze', 'gone-1.jpg', 'gone-2.jpg', '--jsonl'], { shell });

  expect(ran.code).toBe(6);
  expect(ran.stderr).toContain(
    'forensics: There is no space left to write the results; free some.\n',
  );
  expect(ran.stderr).not.toContain('    at ');
});
