/**
 * `npm run figures`: how the sources are divided, and how many files five journeys involve, each with its target.
 * `-- --verbose` lists what is counted. Targets, not limits: tests enforce only the imports between modules and the absence of cycles.
 */

import { readOptions } from '../usage.ts';

const { verbose } = readOptions(import.meta.url, { verbose: { type: 'boolean', default: false } });
// After the options, because `--help` does not need the compiler.
const { cycles } = await import('../../test/architecture/imports.ts');
const { measureCode } = await import('./code.ts');
const { measureJourneys } = await import('./journeys.ts');

const code = measureCode();
const sizes = code.files.map(({ lines }) => lines).toSorted((a, b) => a - b);
print('files in src', sizes.length, '430');
print(
  'lines in src',
  sizes.reduce((sum, lines) => sum + lines, 0),
  '63,000',
);
print('lines in test', code.testLines, '50,000');
print('modules', code.modules, '18');
print('layers of modules', code.layers, '9');
print('median lines of a file', sizes[Math.floor(sizes.length / 2)]!, '80 to 250');
printAll('files over 400 lines', longFiles(), '0');
printAll('files with one importer', code.singleImporter, '110');
printAll('import cycles at run time', cycles().map(joined), '0');
printAll('circles of types', code.typeCircles.map(joined), '0');
printAll('functions over 60 lines', code.longFunctions, '15');
print('longest function', Number(code.longFunctions[0]?.split(' ').at(-1) ?? 0), '100');
printAll('private functions of 5 lines, called once', code.shortPrivate, '150');
printAll('names that end in Of', code.namesInOf, '60');
printAll('exports that only tests use', code.testedOnly, '0');

const journeys = await measureJourneys();
printAll('analyze photo.jpg, files in the parent', journeys.analyze.toSorted(), '35');
printAll('analyze --url, files in the parent', journeys.analyzeRemote.toSorted(), '30');
printAll('POST to verdict, files in the parent', journeys.postToVerdict.toSorted(), '55');
printAll('heatmap to PDF, files', journeys.heatmapToPdf.toSorted(), '15');
printAll('an API key from header to scopes, files', journeys.keyToScopes.toSorted(), '8');

function longFiles(): string[] {
  return code.files.filter(({ lines }) => lines > 400).map(({ name, lines }) => `${name} ${lines}`);
}

function joined(group: readonly string[]): string {
  return `${group.length}: ${group.join(' ')}`;
}

function printAll(what: string, found: readonly string[], aim: string): void {
  print(what, found.length, aim);
  if (verbose) for (const one of found) process.stdout.write(`    ${one}\n`);
}

function print(what: string, is: number, aim: string): void {
  process.stdout.write(`${what.padEnd(44)}${is.toLocaleString('en').padStart(8)}   aim ${aim}\n`);
}
