import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { AnalysisRecord } from '../../src/cli/analyze/record.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { emptyFolder, refused, runCli, startCli } from './run-cli.ts';
import { type Files, folderWith, recordLines, recordsIn } from './working-folder.ts';

const scene = await sceneJpeg({ width: 160, height: 120, seed: 7 });

/** A folder with the scene as `scene.jpg` and the given files. */
const folderWithScene = (files: Files = {}) => folderWith({ 'scene.jpg': scene, ...files });

describe('one picture', () => {
  test('flagging reports the classes, leaves the forensic fields null and writes only the result', async () => {
    const cwd = await folderWithScene();
    const ran = await runCli(['analyze', 'scene.jpg', '--json', '--out', 'out'], { cwd });
    const [record] = recordsIn(ran.stdout);

    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(record!.result).toEqual({
      resultClass: ['real', 'fake', 'abstain', 'uncertain'].indexOf(record!.verdict!),
      resultSubClasses: expect.any(Array),
      predictions: null,
      classUncertainties: null,
      classSimilarities: null,
      anomaly: null,
      heatmaps: null,
      report: null,
    });
    expect(record).toMatchObject({
      file: 'scene.jpg',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      options: { decisionStrategy: 'default', tier: 'flagging', seed: 1337 },
      error: null,
    });
    expect(await readdir(join(cwd, 'out', 'scene'))).toEqual(['result.json']);
  });

  test('is read from standard input, and its verdict changes the exit code with --fail-on', async () => {
    const failOn = ['--fail-on', 'fake,uncertain,abstain'];
    const ran = await runCli(['analyze', '-', '--jsonl', ...failOn], { stdin: scene });
    const empty = await runCli(['analyze', '-'], { stdin: new Uint8Array() });
    const [record] = recordLines(ran.stdout);

    expect(record).toMatchObject({ file: '-', error: null });
    expect(ran.code).toBe({ real: 0, fake: 10, uncertain: 11, abstain: 12 }[record!.verdict!]);
    expect(empty).toEqual(refused(1, /^forensics: -: The file is empty \(0 bytes\)\.\n$/));
  });

  test('the forensic tier writes heatmaps, maps and reports into a folder per picture', async () => {
    const cwd = await folderWithScene();
    const command = 'analyze scene.jpg --tier forensicReporting --out out --maps --lang de --jsonl';
    const ran = await runCli(command.split(' '), { cwd });
    const again = await runCli(command.split(' '), { cwd });
    const [record] = recordLines(ran.stdout);

    const names = ['anomaly', 'compression', 'fake', 'real'];
    const expected = [
      'evidence.zip',
      ...names.map((name) => `heatmap-${name}.png`),
      ...names.map((name) => `map-${name}.png`),
      'report-de.pdf',
      'result.json',
    ];
    expect(await readdir(join(cwd, 'out'))).toEqual(['scene']);
    expect((await readdir(join(cwd, 'out', 'scene'))).toSorted()).toEqual(expected);
    expect(record!.files.toSorted()).toEqual(expected.map((name) => join('out', 'scene', name)));
    const kept: AnalysisRecord = JSON.parse(
      await readFile(join(cwd, 'out/scene/result.json'), 'utf8'),
    );
    expect(kept).toEqual({ ...record, files: expect.arrayContaining(expected) });
    expect(kept.result!.report).toEqual({
      de: expect.objectContaining({ summary: expect.any(String) }),
    });
    const png = await readFile(join(cwd, 'out/scene/heatmap-fake.png'));
    const map = await readFile(join(cwd, 'out/scene/map-fake.png'));
    const { columns, rows } = kept.maps!;
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([160, 120]);
    expect([map.readUInt32BE(16), map.readUInt32BE(20)]).toEqual([columns, rows]);
    expect(again).toMatchObject({ code: 5 });
    expect(again.stderr).toContain('ersetzen Sie es mit --force');
  });

  test('a picture larger than the service accepts is examined locally', async () => {
    const cwd = await folderWithScene({
      'wide.jpg': await sceneJpeg({ width: 4100, height: 66, seed: 4 }),
    });

    const ran = await runCli(['analyze', 'wide.jpg', '--jsonl'], { cwd });

    expect(ran.code).toBe(0);
    expect(recordLines(ran.stdout)).toMatchObject([{ picture: { width: 4100, height: 66 } }]);
  });

  test('a full disk leaves no partial files', async () => {
    const cwd = await folderWithScene();
    // No file may exceed 1 KB: writes then fail as on a full disk.
    const shell = 'ulimit -f 1; "$@"';
    const ran = await startCli(['analyze', 'scene.jpg', '--out', 'out'], { cwd, shell });

    expect(ran).toMatchObject({ code: 6, stdout: '' });
    expect(ran.stderr).toBe('forensics: There is no space left to write the results; free some.\n');
    expect(await readdir(join(cwd, 'out'))).toEqual([]);
  });
});

describe('several pictures', () => {
  test('a bad file does not stop the others, and records keep the order of the arguments', async () => {
    const cwd = await folderWithScene({
      'cut.jpg': scene.subarray(0, 2000),
      'empty.png': '',
      'text.jpg': 'no picture',
      'wrong.png': scene,
    });
    const files = ['gone.jpg', 'cut.jpg', 'wrong.png', '.', 'empty.png', 'text.jpg', 'scene.jpg'];
    const ran = await runCli(['analyze', ...files, '--jsonl', '--fail-on', 'fake'], { cwd });
    const records = recordLines(ran.stdout);

    expect(ran.code).toBe(1);
    expect(records.map(({ file, error }) => [file, error?.code ?? null])).toEqual([
      ['gone.jpg', 'file_not_found'],
      ['cut.jpg', 'image_unreadable'],
      ['wrong.png', null],
      ['.', 'file_is_directory'],
      ['empty.png', 'image_empty'],
      ['text.jpg', 'image_not_supported'],
      ['scene.jpg', null],
    ]);
    expect(records[2]!.picture!.notes).toEqual(['extension_disagrees']);
    const lines = ran.stderr.trim().split('\n');
    const summary = lines.pop();
    expect(lines.map((line) => line.split(': ').slice(0, 2).join(': ')).toSorted()).toEqual(
      ['.', 'cut.jpg', 'empty.png', 'gone.jpg', 'text.jpg'].map((file) => `forensics: ${file}`),
    );
    expect(summary).toMatch(/^7 pictures: 2 [\w ]+, 5 failed; [\d.]+ s, [\d.]+ a second$/);
  });

  test('Ctrl-C ends the run with SIGINT and leaves no temporary folder', async () => {
    const copies = Array.from({ length: 30 }, (_, n) => [`copy-${n}.jpg`, scene]);
    const cwd = await folderWithScene(Object.fromEntries(copies));
    const ran = await startCli(['analyze', '-r', '.', '--jsonl', '--out', 'out'], {
      cwd,
      onStdout: (_text, kill) => kill('SIGINT'),
    });
    const done = recordLines(ran.stdout);

    expect(ran.signal).toBe('SIGINT');
    expect(ran.stderr).toMatch(
      /^Stopped\. \d+ pictures?: .*\nResults in out, a folder for each picture\n$/,
    );
    expect(done.length).toBeLessThan(31);
    for (const name of await readdir(join(cwd, 'out'))) {
      expect(await readdir(join(cwd, 'out', name))).toEqual(['result.json']);
    }
  });

  test('closing the pipe early is no error', async () => {
    const cwd = await folderWithScene();
    const shell = '"$@" | true; exit "${PIPESTATUS[0]}"';
    const ran = await startCli(['analyze', 'scene.jpg', '--json'], { cwd, shell });

    expect(ran).toMatchObject({ code: 0, stderr: '' });
  });
});

/** A copy of the program with its own model folder. */
async function copyOfProgram(): Promise<string> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const copy = await emptyFolder();
  const copied = ['bin', 'dist', 'package.json', 'models/trace-3', 'models/locate-1'];
  for (const name of copied) {
    // oxlint-disable-next-line no-await-in-loop -- folders before their contents
    await cp(join(root, name), join(copy, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

test('a model with a wrong hash stops the run with one line, whatever the number of pictures', async () => {
  const program = await copyOfProgram();
  const entry = join(program, 'bin/forensics.js');
  const cwd = await folderWithScene({ 'second.jpg': scene });

  for (const [model, file] of [
    ['locate-1', 'locate.onnx'],
    ['trace-3', 'head.onnx'],
  ] as const) {
    const path = join(program, 'models', model, file);
    const whole = await readFile(path);
    await writeFile(path, 'x');
    const ran = await startCli(['analyze', 'scene.jpg', 'second.jpg'], { cwd, entry });
    await writeFile(path, whole);

    expect(ran).toMatchObject({ code: 7, stdout: '' });
    expect(ran.stderr).toMatch(/^forensics: \S+\.onnx of model .* reinstall forensics\.\n$/);
    expect(ran.stderr).toContain(`${file} of model ${model}`);
  }
});
