/**
 * `npm run figures`: how the sources are cut, and how many files one meets on three journeys. Aims, not limits: the
 * tests hold only the arrows between rooms and the absence of cycles.
 *
 * A file counts as met on a journey when one of its functions ran in the parent process.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { startServing } from '../journeys/serving.ts';
import { openServer } from '../unit/server/open-server.ts';
import { cycles, importsOf, sourceFiles, src } from './imports.ts';

const entry = fileURLToPath(new URL('../cli/entry.ts', import.meta.url));
const isVerbose = process.argv.includes('--verbose');

printCuts();
await printJourneys();

function printCuts(): void {
  const lines = sourceFiles().map((name) => ({
    name,
    lines: readFileSync(join(src, name), 'utf8').split('\n').length - 1,
  }));
  const sorted = lines.map((file) => file.lines).toSorted((a, b) => a - b);
  const importers = new Map<string, Set<string>>();
  for (const { file, to } of importsOf().filter(({ isPackage }) => !isPackage)) {
    importers.set(to, (importers.get(to) ?? new Set()).add(file));
  }
  const single = [...importers.values()].filter((files) => files.size === 1).length;
  const sum = sorted.reduce((total, each) => total + each, 0);
  print('files in src', String(sorted.length), 'about 400');
  print('lines', String(sum), 'about 57,000');
  print('median lines', String(sorted[Math.floor(sorted.length / 2)]), '110 to 160');
  print('files over 400 lines', String(sorted.filter((each) => each > 400).length), '0');
  print('files under 40 lines', String(sorted.filter((each) => each < 40).length), 'under 40');
  print('files with one importer', String(single), 'under 120');
  print('import cycles at run time', String(cycles().length), '0');
  for (const { name, lines: count } of lines)
    if (count > 400) print(`  ${name}`, String(count), '');
}

async function printJourneys(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-figures-'));
  const picture = join(folder, 'photo.jpg');
  writeFileSync(picture, await sceneJpeg({ width: 640, height: 480, seed: 7, quality: 90 }));
  try {
    const analyze = ['analyze', picture, '--tier', 'forensicReporting', '--out'];
    const local = await filesOfRun([...analyze, join(folder, 'local')], folder);
    printFiles('analyze photo.jpg, in the parent process', local, 'under 35');

    const serving = await startServing(join(folder, 'data'));
    const { url, caPath, apiKey, tenantName } = serving.ready;
    const remote = await filesOfRun(
      [...analyze, join(folder, 'remote'), '--url', url, '--ca', caPath, '--tenant', tenantName!],
      folder,
      { FORENSICS_API_KEY: apiKey! },
    );
    await serving.end('SIGTERM');
    printFiles('analyze --url, in the parent process', remote, 'under 30');
    printFiles('an API key from header to scopes', await filesOfKey(), 'under 9');
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
  const child = spawn(process.execPath, [entry, ...args], {
    env: { PATH, HOME: folder, NODE_V8_COVERAGE: coverage, ...env },
    stdio: 'ignore',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`);
  const own = readdirSync(coverage).find((name) => name.startsWith(`coverage-${child.pid}-`));
  return filesRun(JSON.parse(readFileSync(join(coverage, own!), 'utf8')));
}

/** What runs between a request that is refused for its rights and one that asks for none. */
async function filesOfKey(): Promise<string[]> {
  const open = await openServer();
  const { server } = open;
  const { secret } = await open.makeTenant('acme');
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const filesOf = async (url: string): Promise<string[]> => {
    await session.post('Profiler.takePreciseCoverage');
    await server.inject({ url, headers: { authorization: `ApiKey ${secret}` } });
    return filesRun(await session.post('Profiler.takePreciseCoverage'));
  };
  await server.ready();
  const always = new Set(await filesOf('/v1/ping'));
  always.delete(join('server', 'authenticate.ts'));
  const files = (await filesOf('/v1/user/settings')).filter((file) => !always.has(file));
  session.disconnect();
  await open.close();
  return files;
}

function printFiles(what: string, files: readonly string[], aim: string): void {
  print(what, `${files.length} files`, aim);
  if (isVerbose) for (const file of files.toSorted()) process.stdout.write(`    ${file}\n`);
}

function print(what: string, is: string, aim: string): void {
  process.stdout.write(`${what.padEnd(44)}${is.padStart(10)}   ${aim}\n`);
}
