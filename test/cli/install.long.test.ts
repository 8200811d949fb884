import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';
import { freePort } from '../fixtures/free-port.ts';
import { megabytesOf } from '../fixtures/megabytes-of.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { blockNamed, readManual } from '../../bin/manual/manual.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Nothing listens here. */
const nowhere = 'http://127.0.0.1:9';

const linesOf = (block: string) => blockNamed(readManual(), block).text.trimEnd().split('\n');

let dir: string;
/** A copy of the checkout: packing rebuilds, which would remove the console under tests running in parallel. */
let checkout: string;
let tarball: string;
let prefix: string;
/** What the README's commands printed, and the processor seconds that they took. */
let installed: { readonly stdout: string; readonly stderr: string; readonly seconds: number };

/** The PATH of a fresh machine: this Node.js and nothing from the checkout. */
function freshPath(): string {
  const outside = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((path) => !path.startsWith(root));
  return [dirname(process.execPath), ...outside].join(delimiter);
}

/**
 * npm needs its local configuration, such as a proxy or certificate, but not the variables that
 * `npm test` sets: npm passes on what the checkout's `.npmrc` says.
 */
function npmEnvironment(): NodeJS.ProcessEnv {
  const settings = readFileSync(join(root, '.npmrc'), 'utf8').matchAll(/^[\w-]+(?==)/gm);
  const inherited = [...settings].map(([name]) => name.replaceAll('-', '_')).join('|');
  const own = new RegExp(
    `^(?:npm_(?:package|lifecycle)_|npm_config_(?:local_prefix|${inherited})$|VITEST|NODE_OPTIONS$)`,
  );
  const kept = Object.entries(process.env).filter(([name]) => !own.test(name));
  return { ...Object.fromEntries(kept), PATH: freshPath() };
}

/** The program itself needs no variables. */
const programEnvironment = (): NodeJS.ProcessEnv => ({ PATH: freshPath() });

/** A command from the manual with extra npm settings. */
async function npm(command: string, cwd: string, settings: Readonly<Record<string, string>>) {
  return run('bash', ['-c', command], { cwd, env: { ...npmEnvironment(), ...settings } });
}

async function copyCheckout(target: string): Promise<void> {
  const listed = await run('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: root });
  for (const file of listed.stdout.split('\0').filter(Boolean)) {
    await cp(join(root, file), join(target, file));
  }
  await symlink(join(root, 'node_modules'), join(target, 'node_modules'));
}

beforeAll(async () => {
  dir = newFolder();
  checkout = join(dir, 'checkout');
  await copyCheckout(checkout);
  prefix = join(dir, 'prefix');
  await mkdir(join(dir, 'empty'));
  const [pack = '', install = ''] = linesOf('install');
  await npm(pack, checkout, { npm_config_pack_destination: dir });
  const [name] = (await readdir(dir)).filter((file) => file.endsWith('.tgz'));
  tarball = join(dir, name!);
  const elsewhere = join(dir, 'elsewhere');
  const { stdout, stderr } = await npm(`TIMEFORMAT='%U+%S'; time { ${install}; }`, dir, {
    npm_config_prefix: elsewhere,
    npm_config_cache: join(dir, 'npm-cache'),
    PATH: [freshPath(), join(elsewhere, 'bin')].join(delimiter),
  });
  const [, user, system] = /^(.+)\+(.+)\n$/m.exec(stderr) ?? [];
  installed = { stdout, stderr, seconds: Number(user) + Number(system) };
  const [, , without = ''] = linesOf('air-gapped');
  await npm(without, dir, { npm_config_prefix: prefix, npm_config_https_proxy: nowhere });
}, 600_000);

afterAll(() => rm(dir, { recursive: true, force: true }));

test('the tarball is at most 60 MB with weights and ONNX Runtime, and packing leaves the checkout clean', async () => {
  expect((await stat(tarball)).size).toBeLessThanOrEqual(60_000_000);
  expect(await readdir(checkout)).not.toContain('vendor');
});

test('the installation takes 25 s on two cores and 260 MB, warns of nothing, and ends with what to type next', async () => {
  const { stdout: size } = await run('du', ['--bytes', '--summarize', join(dir, 'elsewhere')]);
  console.log(`${installed.seconds} s of processor, ${Number.parseInt(size, 10) / 1e6} MB`);

  expect(installed.stderr).not.toMatch(/warn/i);
  expect(installed.stdout).toMatch(/ \$ forensics analyze photo\.jpg\n.*\n.*\n$/);
  expect(installed.seconds).toBeLessThanOrEqual(2 * 25);
  expect(Number.parseInt(size, 10)).toBeLessThanOrEqual(260_000_000);
});

test('packing again gives an identical tarball', async () => {
  const again = join(dir, 'again');
  await mkdir(again);
  const [pack = ''] = linesOf('air-gapped');
  await npm(pack, checkout, { npm_config_pack_destination: again });
  const [name = ''] = await readdir(again);

  expect(await digestOf(join(again, name))).toBe(await digestOf(tarball));
  expect(await readdir(checkout)).not.toContain('sbom.cdx.json');
}, 200_000);

test('the tarball holds only what the program needs and a bill of materials', async () => {
  const { stdout } = await run('tar', ['-tzf', tarball], { maxBuffer: 1e8 });
  const files = stdout.trim().split('\n');
  const known =
    /^package\/(?:bin\/forensics\.js|dist\/.+\.(?:js|d\.ts)|dist\/gathered\/(?:LICENSES\.txt|packages\.json)|dist\/console\/[\w-]+\.(?:css|html|svg)|src\/(?:manual\/(?:de\/)?[\w-]+\.md|ports\/db\/sql\/[\d.a-z]+\.sql|service\/trial\/\w[\w-]*\.jpg)|vendor\/onnxruntime-node\/.+|models\/(?:README\.md|[\w.-]+\/(?:[\w.-]+\.(?:onnx|json)|CARD\.md))|LICENSE|README\.md|package\.json|sbom\.cdx\.json)$/;
  const sbom: { bomFormat: string; components: { name: string }[] } = JSON.parse(
    await readFile(join(prefix, 'lib/node_modules/forensics/sbom.cdx.json'), 'utf8'),
  );
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  const named = new Set(sbom.components.map(({ name }) => name));

  expect(files.filter((file) => !known.test(file))).toEqual([]);
  expect(sbom.bomFormat).toBe('CycloneDX');
  expect(
    [...Object.keys(dependencies), 'onnxruntime-node'].filter((one) => !named.has(one)),
  ).toEqual([]);
});

async function digestOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

test('the installed program runs in an empty folder and finds runtime and weights', async () => {
  const cwd = join(dir, 'empty');
  await writeFile(join(cwd, 'scene.jpg'), await sceneJpeg({ width: 320, height: 240, seed: 3 }));
  const program = join(prefix, 'bin', 'forensics');
  const env = programEnvironment();
  const version = await run(program, ['--version'], { cwd, env });
  const analysis = await run(program, ['analyze', 'scene.jpg', '--json'], { cwd, env });
  const page = await run(program, ['help', 'glossary'], { cwd, env });

  const { version: expected }: { version: string } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  expect(version.stdout).toBe(`${expected}\n`);
  expect(page.stdout).toMatch(/^GLOSSARY\n/);
  const printed: unknown = JSON.parse(analysis.stdout);
  expect(printed).toMatchObject({
    analyses: [{ file: 'scene.jpg', verdict: expect.any(String), error: null }],
  });
});

test("the manual's online and offline installations use the same commands", () => {
  const [pack, withNetwork = ''] = linesOf('air-gapped');

  expect(linesOf('install')).toEqual([
    pack?.trimEnd(),
    `${withNetwork.replace(/ --cache \S+| +#.*/g, '')} && forensics --help`,
  ]);
});

test('an older Node.js is refused with the required version before anything is downloaded', async () => {
  const old = join(dir, 'old.mjs');
  await writeFile(old, 'Object.defineProperty(process, "version", { value: "v20.20.2" });');
  const settings = {
    npm_config_prefix: join(dir, 'none'),
    npm_config_cache: join(dir, 'npm-cache'),
  };

  const installing = npm(linesOf('install')[1]!, dir, {
    ...settings,
    npm_config_offline: 'true',
    NODE_OPTIONS: `--import=${old}`,
  });

  await expect(installing).rejects.toThrow(/Required: \{"node":">=22\.18"\}/);
  expect(await readdir(join(dir, 'none/lib/node_modules')).catch(() => [])).toEqual([]);
});

test("the package includes ONNX Runtime's notices with its libraries, and nothing else of it", async () => {
  const vendor = join(prefix, 'lib/node_modules/forensics/vendor/onnxruntime-node');

  expect((await readdir(vendor)).toSorted()).toEqual([
    'LICENSE',
    'ThirdPartyNotices.txt',
    'bin',
    'dist',
    'package.json',
  ]);
});

/** Of a program that runs in the empty folder. */
async function outputOf(program: string): Promise<string> {
  const cwd = join(dir, 'empty');
  await writeFile(join(cwd, 'program.mjs'), program);
  return (await run(process.execPath, ['program.mjs'], { cwd, env: programEnvironment() })).stdout;
}

test('the compiled program finds the trial pictures', async () => {
  const modules = join(prefix, 'lib/node_modules/forensics/dist/service/first-run.js');
  const program = `
    import { trialMd5s } from ${JSON.stringify(modules)};
    console.log(trialMd5s('.').length);`;

  expect(await outputOf(program)).toBe('2\n');
});

test('the library works in a five-line program', async () => {
  const modules = join(prefix, 'lib/node_modules/forensics/dist/index.js');
  const program = `
    import { analyze, renderReport } from ${JSON.stringify(modules)};
    const { verdict, examination } = await analyze('scene.jpg', { tier: 'forensicReporting' });
    const { reports } = await renderReport('scene.jpg', examination, { languages: ['de'] });
    const pdf = Buffer.from(reports.de.pdf).subarray(0, 5).toString();
    console.log(JSON.stringify({ verdict, pdf }));`;

  expect(JSON.parse(await outputOf(program))).toEqual({
    verdict: expect.any(String),
    pdf: '%PDF-',
  });
});

/** From Debian; `.ci/run` installs them. Files in the package belong to the user who builds it: root. */
const canBuildImages =
  process.getuid?.() === 0 &&
  ['buildah', 'mmdebstrap', 'dpkg-deb', 'strip'].every(
    (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0,
  );

/**
 * Starts a server in a root folder as its image or unit says: by the plain user without capabilities, read-only but for
 * `/tmp` and its data folder, with nothing in the homes. Neither containers nor systemd run on the machines of the tests.
 */
const confinement = `
cd "$1"
umask "$4"
mount --bind . .
mount -o remount,bind,ro "$1"
cd "$1"
mount --bind ".$2" ".$2"
mount -o remount,bind,rw ".$2"
for folder in tmp root home; do mount -t tmpfs tmpfs $folder; done
for folder in proc dev; do mount --rbind /$folder $folder; done
user=$3
shift 4
exec chroot . setpriv --reuid $user --regid $user --clear-groups --no-new-privs \
  --bounding-set -all --inh-caps -all -- "$@"`;

interface Confined {
  readonly root: string;
  readonly data: string;
  readonly user: string;
  readonly umask?: string;
  readonly env: NodeJS.ProcessEnv;
}

function confined({ root: folder, data, user, umask, env }: Confined, command: readonly string[]) {
  const args = ['-ec', confinement, 'sh', folder, data, user, umask ?? '0022', ...command];
  return spawn('unshare', ['--mount', '--propagation', 'private', 'sh', ...args], { env });
}

/** Starts it, has a picture examined and ends it; what was measured on the way. */
async function serveOnce(how: Confined, command: readonly string[]) {
  const port = String(await freePort());
  const env = { ...how.env, FORENSICS_PORT: port };
  const begun = performance.now();
  const server = confined({ ...how, env }, [...command, '--json']);
  let output = '';
  server.stderr.on('data', (bytes: Buffer) => (output += bytes.toString('utf8')));
  const ended = once(server, 'close');
  const early = ended.then(() => Promise.reject(new Error(output)));
  const [line] = await Promise.race([once(createInterface(server.stdout), 'line'), early]);
  early.catch(() => {});
  const { url, caPath, apiKey }: { url: string; caPath: string; apiKey: string } = JSON.parse(line);
  const asked = command.map((word) => (word === 'serve' ? 'health' : word));
  const health = confined({ ...how, env }, asked);
  const [healthy] = await once(health, 'close');
  const idle = megabytesOf(server.pid!);
  const picture = join(dir, 'sent.jpg');
  await writeFile(picture, await sceneJpeg({ width: 320, height: 240, seed: 3 }));
  const { stdout } = await run(
    join(prefix, 'bin/forensics'),
    ['analyze', picture, '--json', '--tenant', 'default', '--ca', join(how.root, caPath)],
    { env: { ...programEnvironment(), FORENSICS_URL: url, FORENSICS_API_KEY: apiKey } },
  );
  const seconds = (performance.now() - begun) / 1000;
  server.kill('SIGTERM');
  const [code] = await ended;
  console.log(`${seconds.toFixed(1)} s to a verdict, ${idle.toFixed(0)} MB before`);
  const { analyses } = JSON.parse(stdout);
  return { analyses, healthy, isSmall: idle <= 300, isQuick: seconds <= 60, code };
}

const served = {
  analyses: [expect.objectContaining({ verdict: expect.any(String), error: null })],
  healthy: 0,
  isSmall: true,
  isQuick: true,
  code: 0,
};

const settingIn = (unit: string, name: string) =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

test.runIf(canBuildImages)(
  'the Debian package and the image serve read-only as a plain user, and the package can be removed',
  { timeout: 900_000 },
  async () => {
    const packages = join(dir, 'packages');
    await mkdir(packages);
    const storage = join(dir, 'storage.conf');
    await writeFile(
      storage,
      `[storage]\ndriver = "vfs"\nrunroot = "${dir}/run"\ngraphroot = "${dir}/images"\n`,
    );
    const env = {
      ...npmEnvironment(),
      CONTAINERS_STORAGE_CONF: storage,
      npm_config_cache: join(dir, 'npm-cache'),
      npm_config_offline: 'true',
    };
    const buildah = async (...args: string[]) =>
      (await run('buildah', args, { env, maxBuffer: 1e8 })).stdout.trim();
    await run(join(root, 'bin', 'packages', 'deb.sh'), [tarball, packages], { env });
    const built = await run(join(root, 'bin', 'packages', 'image.sh'), [packages], { env });
    const packed = join(dir, 'packed');
    await buildah('push', '--quiet', 'forensics', `oci:${packed}`);
    const { stdout: size } = await run('du', ['--bytes', '--summarize', packed]);
    console.log(`${megabytesIn(built.stdout)} MB, packed ${Number.parseInt(size, 10) / 1e6} MB`);
    expect(megabytesIn(built.stdout)).toBeLessThanOrEqual(350);
    expect(Number.parseInt(size, 10)).toBeLessThanOrEqual(150_000_000);

    const container = await buildah('from', '--pull-never', 'forensics');
    const { OCIv1: image } = JSON.parse(await buildah('inspect', '--type', 'image', 'forensics'));
    const { User: user, Env, Entrypoint, Cmd, Volumes } = image.config;
    const [data = ''] = Object.keys(Volumes);
    const settings = Object.fromEntries(Env.map((one: string) => one.split(/=(.*)/)));
    const inImage = { root: await buildah('mount', container), data, user, env: settings };
    expect(user).toBe('forensics');
    expect(await serveOnce(inImage, [...Entrypoint, ...Cmd])).toEqual(served);

    const debian = await buildah('from', '--pull-never', 'debian:bookworm-slim');
    const onDebian = async (command: string) =>
      buildah('run', '--isolation', 'chroot', debian, '--', 'sh', '-c', command);
    await buildah('add', '--quiet', debian, packages, '/tmp');
    expect(await onDebian('dpkg --install /tmp/*.deb')).toContain('systemctl enable --now');
    const folder = await buildah('mount', debian);
    const unit = await readFile(join(folder, 'lib/systemd/system/forensics.service'), 'utf8');
    const ofUnit = {
      root: folder,
      data: `/var/lib/${settingIn(unit, 'StateDirectory')}`,
      user: settingIn(unit, 'User'),
      umask: settingIn(unit, 'UMask'),
      env: { PATH: '/usr/sbin:/usr/bin' },
    };
    const mode = settingIn(unit, 'StateDirectoryMode');
    await onDebian(`install -d -m ${mode} -o ${ofUnit.user} -g ${ofUnit.user} ${ofUnit.data}`);
    expect(await serveOnce(ofUnit, settingIn(unit, 'ExecStart').split(' '))).toEqual(served);

    await onDebian('dpkg --remove forensics');
    await expect(onDebian('forensics --version')).rejects.toThrow();
    expect(await readdir(join(folder, ofUnit.data))).toContain('forensics.db');
  },
);

function megabytesIn(images: string): number {
  const [{ size = '' } = {}]: { size?: string }[] = JSON.parse(images);
  return Number.parseFloat(size);
}
