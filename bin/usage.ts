import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** @param program - its `import.meta.url`. */
export function readOptions<const T extends NonNullable<ParseArgsConfig['options']>>(
  program: string,
  options: T,
) {
  return readArguments(program, { options }).values;
}

/** Like `parseArgs`, but for `--help` or an unknown option prints the comment at the top of the program and exits. */
export function readArguments<const T extends ParseArgsConfig>(program: string, config: T) {
  const [, comment = ''] = readFileSync(fileURLToPath(program), 'utf8').split(/^\/\*\*$|^ \*\/$/m);
  const usage = comment
    .trim()
    .replaceAll(/^ \* ?/gm, '')
    .replace('* ', '');
  if (process.argv.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit();
  }
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`${error.message}\n\n${usage}\n`);
    return process.exit(2);
  }
}
