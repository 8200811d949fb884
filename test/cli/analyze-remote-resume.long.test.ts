/** Interrupted runs on a server: by SIGKILL, by Ctrl-C, or because the server itself is killed. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Analysis } from '../../src/contract/analysis.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { newDataDir, startServing } from '../journeys/serving.ts';
import { openDoor } from './open-door.ts';
import { emptyFolder, startCli, type StartHow } from './run-cli.ts';
import { recordLines } from './working-folder.ts';

const dataDir = newDataDir();
const pictures = 6;
/** Starts a server and several commands in turn: up to a minute and a half on a busy machine. */
const severalCommandsMs = 240_000;
/** After a kill the server waits for the lease of the analysis that was running. */
const environment = { FORENSICS_LEASE_SECONDS: '2' };
vi.setConfig({ testTimeout: severalCommandsMs });

const draw = (width: number, height: number, count: number) =>
  Promise.all(Array.from({ length: count }, (_, seed) => sceneJpeg({ width, height, seed })));

const [small, large] = [await draw(320, 240, pictures), await draw(1600, 1200, 3)];
let serving = await startServing(dataDir, environment);
const apiKey = serving.ready.apiKey ?? '';
afterAll(() => serving.end('SIGTERM'));

/** A user's working folder with pictures, and the state that the CLI keeps about its runs. */
async function newWorkingFolder(scenes = small) {
  const cwd = await emptyFolder();
  await mkdir(join(cwd, 'in'));
  for (const [n, scene] of scenes.entries()) await writeFile(join(cwd, 'in', `${n}.jpg`), scene);
  const env = { FORENSICS_API_KEY: apiKey, XDG_STATE_HOME: join(cwd, 'state') };
  return (flags: readonly string[], how: StartHow & { readonly url?: string } = {}) => {
    const { url = serving.ready.url, ...more } = how;
    const where = ['--url', url, '--ca', serving.ready.caPath, '--tenant', 'default'];
    return startCli(['analyze', '-r', 'in', ...where, '--jsonl', ...flags], { cwd, env, ...more });
  };
}

/** All analyses of the tenant, in any state. */
async function onServer(): Promise<readonly Analysis[]> {
  const headers = { authorization: `ApiKey ${apiKey}` };
  const answer = await serving.ask({
    method: 'GET',
    path: '/v1/analysis?tenantName=default',
    headers,
  });
  return answer.json<{ data: Analysis[] }>().data;
}

const idsOf = (analyses: readonly { readonly id: string }[]) => analyses.map(({ id }) => id);

test('a run that is killed and resumed creates each analysis once', async () => {
  const analyze = await newWorkingFolder();
  const before = idsOf(await onServer());

  const killed = await analyze(['--jobs', '1', '--out', 'out'], {
    onStdout: (_text, kill) => kill('SIGKILL'),
  });
  const halfway = idsOf(await onServer());
  const resumed = await analyze(['--resume', '--out', 'out']);
  const again = await analyze(['--resume']);

  const made = (await onServer()).filter(({ id }) => !before.includes(id));
  const records = recordLines(resumed.stdout);
  expect(killed.signal).toBe('SIGKILL');
  expect(halfway.length - before.length).toBeGreaterThan(0);
  expect(halfway.length - before.length).toBeLessThan(pictures);
  expect(resumed.code).toBe(0);
  expect(records.flatMap(({ files }) => files)).toHaveLength(pictures);
  expect(made).toHaveLength(pictures);
  expect(made.every(({ inferenceStatus }) => inferenceStatus.status === 'completed')).toBe(true);
  expect(records.map(({ analysisId }) => analysisId!).toSorted()).toEqual(idsOf(made).toSorted());
  expect(recordLines(again.stdout).map(({ analysisId }) => analysisId)).toEqual(
    records.map(({ analysisId }) => analysisId),
  );
});

test('two concurrent --resume runs share the analyses they create', async () => {
  const analyze = await newWorkingFolder();
  const before = (await onServer()).length;

  const runs = await Promise.all([analyze(['--resume']), analyze(['--resume'])]);

  const [one, other] = runs.map(({ stdout }) => recordLines(stdout));
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  expect((await onServer()).length).toBe(before + pictures);
  expect(one!.map(({ analysisId }) => analysisId)).toEqual(
    other!.map(({ analysisId }) => analysisId),
  );
});

test('Ctrl-C leaves started analyses on the server and says how to fetch them', async () => {
  const scenes = [small[0]!, ...large];
  const analyze = await newWorkingFolder(scenes);
  const before = idsOf(await onServer());
  const madeSince = async () => (await onServer()).filter(({ id }) => !before.includes(id));
  // The server runs one analysis at a time, so when the first is done the others are still pending.
  const firstIsDone = async () => {
    const made = await madeSince();
    const isDone = made.some(({ inferenceStatus }) => inferenceStatus.status === 'completed');
    expect(made.length === scenes.length && isDone).toBe(true);
  };

  const stopped = await analyze(['--jobs', '4'], {
    onStart: (kill) => void vi.waitFor(firstIsDone, severalCommandsMs).then(() => kill('SIGINT')),
  });

  const made = await madeSince();
  const fetched = recordLines(stopped.stdout).map(({ analysisId }) => analysisId);
  const left = idsOf(made).filter((id) => !fetched.includes(id));
  expect(stopped.signal).toBe('SIGINT');
  expect(left.length).toBeGreaterThan(0);
  expect(stopped.stderr).toContain('Run the same command again with --resume');
});

const portAt = (url: string) => Number(new URL(url).port);

test('a run waits for a server that is killed and restarted', async () => {
  const analyze = await newWorkingFolder();
  const door = await openDoor();
  onTestFinished(() => door.close());
  door.leadTo(portAt(serving.ready.url));
  const before = (await onServer()).length;
  const restarts: Promise<void>[] = [];
  const restart = async () => {
    const port = portAt(serving.ready.url);
    door.leadTo(null);
    await serving.end('SIGKILL');
    // On the port that the addresses of uploads name, as a server that restarts does.
    serving = await startServing(dataDir, { ...environment, FORENSICS_PORT: String(port) });
    door.leadTo(port);
  };

  const ran = await analyze(['--jobs', '2'], {
    url: `https://127.0.0.1:${door.port}`,
    onStdout: () => void (restarts.length === 0 && restarts.push(restart())),
  });
  await Promise.all(restarts);

  const errors = recordLines(ran.stdout).map(({ error }) => error);
  expect(errors, ran.stderr).toEqual(Array.from({ length: pictures }, () => null));
  expect((await onServer()).length).toBe(before + pictures);
});
