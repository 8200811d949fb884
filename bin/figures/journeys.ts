/** How many source files a journey involves. A file counts if one of its functions ran in the parent process. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ExamineOptions } from '../../src/detectors/result.ts';
import { createModelCache } from '../../src/examiner/model-cache.ts';
import { tasks } from '../../src/examiner/tasks.ts';
import type { TaskContext } from '../../src/examiner/requests.ts';
import { defaultLimits } from '../../src/image/picture.ts';
import { src } from '../../test/architecture/imports.ts';
import { sceneJpeg } from '../../test/fixtures/pictures.ts';
import { clientOf, type Serving, startServing } from '../../test/journeys/serving.ts';
import { openServer } from '../../test/unit/server/open-server.ts';

const entry = fileURLToPath(new URL('../../test/cli/entry.ts', import.meta.url));
const preload = new URL('./count-on-signal.ts', import.meta.url).href;
const size = { width: 640, height: 480 };

export interface Journeys {
  readonly analyze: readonly string[];
  readonly analyzeRemote: readonly string[];
  readonly postToVerdict: readonly string[];
  readonly heatmapToPdf: readonly string[];
  readonly keyToScopes: readonly string[];
}

export async function measureJourneys(): Promise<Journeys> {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-figures-'));
  const picture = await sceneJpeg({ ...size, seed: 7, quality: 90 });
  const file = join(folder, 'photo.jpg');
  writeFileSync(file, picture);
  try {
    const args = ['analyze', file, '--tier', 'forensicReporting', '--out'];
    const analyze = await filesOfRun([...args, join(folder, 'local')], folder);

    const coverage = join(folder, 'server');
    const counted = {
      NODE_OPTIONS: `--import=${preload}`,
      FORENSICS_FIGURES_COVERAGE: coverage,
    };
    // The sources, not the built program.
    const serving = await startServing(join(folder, 'data'), counted, { entry });
    const postToVerdict = await filesOfPost(serving, picture, coverage);
    const { url, caPath, apiKey, tenantName } = serving.ready;
    const remote = await filesOfRun(
      [...args, join(folder, 'remote'), '--url', url, '--ca', caPath, '--tenant', tenantName!],
      folder,
      { FORENSICS_API_KEY: apiKey! },
    );
    await serving.end('SIGTERM');
    return {
      analyze,
      analyzeRemote: remote,
      postToVerdict,
      heatmapToPdf: await filesOfReport(picture),
      keyToScopes: await filesOfKey(),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}

/** The sources of which a function ran. The first entry of each script is the module itself. */
function filesRun({ result }: Coverage): string[] {
  return result
    .filter(({ url }) => url.startsWith(`file://${src}/`))
    .filter(({ functions }) =>
      functions.some(({ ranges: [range] }) => range!.startOffset > 0 && range!.count > 0),
    )
    .map(({ url }) => relative(src, fileURLToPath(url)));
}

async function filesOfRun(
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const coverage = mkdtempSync(join(folder, 'coverage-'));
  const { PATH } = process.env;
  const program = spawn(process.execPath, [entry, ...args], {
    env: { PATH, HOME: folder, NODE_V8_COVERAGE: coverage, ...env },
    stdio: 'ignore',
  });
  const [code] = await once(program, 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`);
  const own = readdirSync(coverage).find((name) => name.startsWith(`coverage-${program.pid}-`));
  return filesRun(JSON.parse(readFileSync(join(coverage, own!), 'utf8')));
}

/** The files that run in the server from the creation of an analysis to its verdict. */
async function filesOfPost(serving: Serving, picture: Buffer, coverage: string): Promise<string[]> {
  const { tenantName, apiKey } = serving.ready;
  const client = clientOf(serving, tenantName!, apiKey!);
  const signal = async (count: number): Promise<Coverage> => {
    process.kill(serving.child.pid!, 'SIGUSR2');
    while (!existsSync(`${coverage}-${count}`)) await setTimeout(50);
    await setTimeout(200);
    return JSON.parse(readFileSync(`${coverage}-${count}`, 'utf8'));
  };
  await signal(1);
  const analysis = await client.create({ format: 'jpg', ...size });
  await client.upload(analysis, picture);
  await client.send('POST', '/start', { id: analysis.id });
  await client.until(analysis.id, ['completed', 'failed']);
  return filesRun(await signal(2));
}

/** The files of `render` and `present` that draw the heatmaps and the report of an examination. */
async function filesOfReport(bytes: Buffer): Promise<string[]> {
  const context: TaskContext = {
    modelsDir: null,
    limits: defaultLimits,
    trustList: null,
    hasSpareCore: false,
    models: createModelCache(),
  };
  const options: ExamineOptions = { model: 'trace-3', decisionStrategy: 'default', seed: 1 };
  const examination = await tasks.examine({ source: { bytes }, options }, context);
  const { take, end } = await startCoverage();
  const item = { name: 'photo.jpg', analysisId: null, examinedAt: new Date() };
  const request = { source: { bytes }, examination, item, languages: ['en'] } as const;
  await tasks.render(request, context);
  const files = await take();
  end();
  return files.filter((name) => /^(?:render|present)\//.test(name));
}

async function startCoverage() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    /** The files that ran since the last call. */
    take: async () => filesRun(await session.post('Profiler.takePreciseCoverage')),
    end: () => session.disconnect(),
  };
}

/** The files that run between a request that is refused for lack of permission and one that needs none. */
async function filesOfKey(): Promise<string[]> {
  const open = await openServer();
  const { server } = open;
  const { secret } = await open.makeTenant('acme');
  const { take, end } = await startCoverage();
  const filesOf = async (url: string): Promise<string[]> => {
    await take();
    await server.inject({ url, headers: { authorization: `ApiKey ${secret}` } });
    return take();
  };
  await server.ready();
  const always = new Set(await filesOf('/v1/ping'));
  always.delete(join('server', 'authenticate.ts'));
  const files = (await filesOf('/v1/user/settings')).filter((file) => !always.has(file));
  end();
  await open.close();
  return files;
}
