/** Figures from the source text alone: sizes, names, imports. Read from the syntax tree of each file. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { importsOf, moduleOf, sourceFiles, src } from '../../test/architecture/imports.ts';

const root = join(src, '..');

/** An ESTree node, with only the members that are read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Declared {
  readonly name: string;
  readonly file: string;
  readonly lines: number;
  readonly isFunction: boolean;
  readonly isExported: boolean;
  /** Uses of the name in its own file, without its declaration. */
  readonly uses: number;
}

export interface CodeFigures {
  readonly files: readonly { readonly name: string; readonly lines: number }[];
  readonly testLines: number;
  readonly modules: number;
  readonly layers: number;
  readonly singleImporter: readonly string[];
  readonly typeCircles: readonly (readonly string[])[];
  readonly namesInOf: readonly string[];
  readonly testedOnly: readonly string[];
  readonly shortPrivate: readonly string[];
  readonly longFunctions: readonly string[];
}

export function measureCode(): CodeFigures {
  const names = sourceFiles();
  const declared = names.flatMap(declarations);
  const functions = declared.filter(({ isFunction }) => isFunction);
  return {
    files: names.map((name) => ({ name, lines: lineCount(join(src, name)) })),
    testLines: typescriptBelow('test').reduce((sum, file) => sum + lineCount(file), 0),
    modules: new Set(names.filter((name) => name.includes('/')).map(moduleOf)).size,
    layers: layers(),
    singleImporter: singleImporter(),
    typeCircles: circles(),
    namesInOf: [
      ...new Set(declared.map(({ name }) => name).filter((name) => /[a-z]Of$/.test(name))),
    ],
    testedOnly: testedOnly(declared),
    shortPrivate: functions
      .filter(({ isExported, uses, lines }) => !isExported && uses === 1 && lines <= 5)
      .map(label),
    longFunctions: functions
      .filter(({ lines }) => lines > 60)
      .toSorted((a, b) => b.lines - a.lines)
      .map(label),
  };
}

function label({ file, name, lines }: Declared): string {
  return `${file} ${name} ${lines}`;
}

/**
 * Functions, constants, classes and types at the top level of a file, and functions at any depth.
 */
function declarations(file: string): Declared[] {
  const text = readFileSync(join(src, file), 'utf8');
  const program = parse(text, file);
  const lines = (node: Node) => text.slice(node.start, node.end).split('\n').length;
  const uses = new Map<string, number>();
  const found: Omit<Declared, 'uses'>[] = [];
  const exported = new Set<string>();
  walk(program, (node, parents) => {
    if (node.type === 'Identifier' || node.type === 'JSXIdentifier') {
      const name = String(node['name']);
      uses.set(name, (uses.get(name) ?? 0) + 1);
    }
    if (node.type === 'ExportSpecifier') exported.add(nameIn(node, 'local'));
    const named = namedBy(node);
    if (named === null) return;
    const isExported = parents.some(({ type }) => type === 'ExportNamedDeclaration');
    const isTopLevel = parents.every(({ type }) => !/Function|Class|Block/.test(type));
    if (!named.isFunction && !isTopLevel) return;
    found.push({
      name: named.name,
      file,
      lines: lines(node),
      isFunction: named.isFunction,
      isExported: isExported && isTopLevel,
    });
  });
  return found.map((one) => ({
    ...one,
    isExported: one.isExported || exported.has(one.name),
    uses: (uses.get(one.name) ?? 1) - 1,
  }));
}

function namedBy(node: Node): { name: string; isFunction: boolean } | null {
  const id = part(node, 'id');
  if (id?.type !== 'Identifier') return null;
  const name = String(id['name']);
  if (node.type === 'FunctionDeclaration') return { name, isFunction: true };
  if (node.type === 'VariableDeclarator') {
    return { name, isFunction: /^(?:Arrow)?Function/.test(part(node, 'init')?.type ?? '') };
  }
  return /^(?:Class|TSInterface|TSTypeAlias)/.test(node.type) ? { name, isFunction: false } : null;
}

function parse(text: string, file: string): Node {
  const program: unknown = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file);
  if (!isNode(program)) throw new TypeError(`${file} has no syntax tree.`);
  return program;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function part(node: Node, key: string): Node | null {
  const value = node[key];
  return isNode(value) ? value : null;
}

function nameIn(node: Node, key: string): string {
  const name = part(node, key);
  return String(name?.['name'] ?? name?.['value']);
}

function walk(
  node: Node,
  visit: (node: Node, parents: readonly Node[]) => void,
  parents: readonly Node[] = [],
): void {
  visit(node, parents);
  const inner = [...parents, node];
  for (const value of Object.values(node).flat()) if (isNode(value)) walk(value, visit, inner);
}

function lineCount(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length - 1;
}

function typescriptBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(root, folder, name));
}

function singleImporter(): string[] {
  const importers = new Map<string, Set<string>>();
  for (const { file, to, isPackage } of importsOf()) {
    if (!isPackage) importers.set(to, (importers.get(to) ?? new Set()).add(file));
  }
  return [...importers].filter(([, files]) => files.size === 1).map(([name]) => name);
}

/** The longest chain of imports between modules. A single file at the root counts as a module. */
function layers(): number {
  const below = new Map<string, Set<string>>();
  for (const { file, to, isPackage } of importsOf()) {
    const [from, target] = [moduleOf(file), moduleOf(to)];
    if (isPackage || from === target) continue;
    below.set(from, (below.get(from) ?? new Set()).add(target));
  }
  const depths = new Map<string, number>();
  const depth = (module: string): number => {
    const known = depths.get(module);
    if (known !== undefined) return known;
    const found = 1 + Math.max(0, ...[...(below.get(module) ?? [])].map(depth));
    depths.set(module, found);
    return found;
  };
  return Math.max(...[...below.keys()].map(depth));
}

/** Groups of files that depend on each other's types or values, by any kind of import. */
function circles(): string[][] {
  const arrows = new Map(sourceFiles().map((file) => [file, [] as string[]]));
  for (const { file, to, isPackage } of importsOf()) if (!isPackage) arrows.get(file)!.push(to);
  const reach = (from: string): Set<string> => {
    const seen = new Set<string>();
    const open = [...arrows.get(from)!];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(arrows.get(next) ?? []));
    }
    return seen;
  };
  const reached = new Map([...arrows.keys()].map((file) => [file, reach(file)]));
  const groups = new Map<string, string[]>();
  for (const [file, all] of reached) {
    if (!all.has(file)) continue;
    const group = [...all].filter((other) => reached.get(other)?.has(file) === true).toSorted();
    groups.set(group.join(' '), group);
  }
  return [...groups.values()];
}

/** The files that the package's users and its executable import. */
const entryPoints = ['index.ts', join('cli', 'main.ts')];

/** Exports that tests import and no other source file or tool does. */
function testedOnly(declared: readonly Declared[]): string[] {
  const [used, tested] = [importedNames(['src', 'bin']), importedNames(['test'])];
  return declared
    .filter(({ isExported, file }) => isExported && !entryPoints.includes(file))
    .map(({ file, name }) => `${join('src', file)} ${name}`)
    .filter((name) => tested.has(name) && !used.has(name));
}

/**
 * `src/module/file.ts name` of every import; for a file that is loaded dynamically or imported as a whole, every name
 * that the importing file mentions.
 */
function importedNames(folders: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const path of folders.flatMap(typescriptBelow)) {
    const text = readFileSync(path, 'utf8');
    const wholeFiles: string[] = [];
    const mentioned = new Set<string>();
    walk(parse(text, path), (node) => {
      if (node.type === 'Identifier') mentioned.add(String(node['name']));
      const source = part(node, 'source');
      if (source === null) return;
      const file = relative(root, resolve(dirname(path), String(source['value'])));
      if (node.type === 'ImportExpression') wholeFiles.push(file);
      const specifiers = [node['specifiers'] ?? []].flat().filter(isNode);
      for (const one of specifiers) {
        if (one.type === 'ImportNamespaceSpecifier') wholeFiles.push(file);
        const key = part(one, 'imported') === null ? 'local' : 'imported';
        found.add(`${file} ${nameIn(one, key)}`);
      }
    });
    for (const file of wholeFiles) for (const name of mentioned) found.add(`${file} ${name}`);
  }
  return found;
}
