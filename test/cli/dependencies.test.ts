import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Bundled in the package rather than a dependency. */
const bundled = 'onnxruntime-node';

/** Used by the bundled ONNX Runtime, and by the library's type declarations. */
const neededByOthers = ['onnxruntime-common', 'typebox'];

/** Packages from import statements and from paths to data files: resolve(`dejavu-fonts-ttf/ttf/...`). */
function packagesImported(): readonly string[] {
  const specifier =
    /(?:\bfrom |\bimport |\bimport\()'((?:@[\w-]+\/)?[\w-]+)|(?:\bresolve|\brequire|\bwasmOf)\([`']((?:@[\w-]+\/)?[\w-]+)\//g;
  const found = globSync('**/*.js', {
    cwd: join(root, 'dist'),
    exclude: ['console/**', 'gathered/**'],
  })
    .map((file) => readFileSync(join(root, 'dist', file), 'utf8'))
    .flatMap((text) => [...text.matchAll(specifier)].map((match) => match[1] ?? match[2]!));
  return [...new Set(found)].filter((name) => name !== 'node' && name !== 'forensics');
}

test('the package depends on exactly what the built sources import', () => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const imported = packagesImported().filter((name) => name !== bundled);

  expect(Object.keys(dependencies).toSorted()).toEqual([...imported, ...neededByOthers].toSorted());
});

/** What a command prints when it believes that Node.js has this version. */
function runWithNode(node: string, command: string, args: readonly string[], more = {}) {
  const cwd = newFolder();
  const versions = `{ ...process.versions, node: '${node}' }`;
  const old = `Object.defineProperties(process, { version: { value: 'v${node}' }, versions: { value: ${versions} } });`;
  writeFileSync(join(cwd, 'old.mjs'), old);
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
    copyFileSync(join(root, file), join(cwd, file));
  }
  const env = { ...process.env, ...more, NODE_OPTIONS: `--import=${join(cwd, 'old.mjs')}` };
  const { status, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  return { status, stderr, made: readdirSync(cwd) };
}

test.each(['18.20.8', '20.18.3', '21.7.3', '22.11.0'])(
  'with Node.js %s, which is too old, npm ci in a clone says so and downloads nothing',
  (version) => {
    const ci = ['ci', '--loglevel=error', '--registry=http://[::1]:9'];
    const { status, stderr, made } = runWithNode(version, 'npm', ci);

    expect(status).toBe(1);
    expect(stderr).toContain(`version "^20.19.0 || >=22.12.0" does not match "v${version}"`);
    expect(made).not.toContain('node_modules');
  },
);

test.each([
  ['16.20.2', 1],
  ['20.18.3', 1],
  ['20.19.0', 0],
  ['21.7.3', 1],
  ['22.11.0', 1],
  ['22.12.0', 0],
  ['24.0.0', 0],
])('before and after npm ci, the check of Node.js %s ends with %d', (version, code) => {
  const check = join(root, 'bin/node-version.js');
  const before = runWithNode(version, process.execPath, [check], { npm_config_user_agent: '' });
  const npm_config_user_agent = `npm/10.8.2 node/v${version} linux x64 workspaces/false`;
  const after = runWithNode(process.versions.node, process.execPath, [check], {
    npm_config_user_agent,
  });

  for (const { status, stderr } of [before, after]) {
    expect(status).toBe(code);
    expect(stderr.includes(`this is Node.js ${version}`)).toBe(code === 1);
  }
});

test('the program names the Node.js version it needs and where to get it', () => {
  const program = join(root, 'bin/forensics.js');

  expect(runWithNode('20.20.2', process.execPath, [program])).toMatchObject({
    status: 1,
    stderr:
      'forensics: this is Node.js 20.20.2; install Node.js 22.18 or newer from https://nodejs.org.\n',
  });
});
