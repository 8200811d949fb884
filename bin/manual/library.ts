/** Programs in the manual that import the package: type-checked and run next to the pictures of the stage. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Block, root } from './manual.ts';
import type { Stage, Told } from './stage.ts';

/** Checks and runs the program. @returns the worse of both results. */
export async function playLibrary(stage: Stage, { name, text }: Block): Promise<Told> {
  const face = join(root, 'src', 'index.ts');
  const folder = join(stage.folder, 'node_modules', 'forensics');
  const write = (file: string, content: string) => writeFileSync(join(stage.folder, file), content);
  mkdirSync(folder, { recursive: true });
  // The sources' entry point replaces the installed package.
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(join(folder, 'index.js'), `export * from ${JSON.stringify(`file://${face}`)};`);
  write(`${name}.mts`, text);
  write('tsconfig.json', JSON.stringify(checking(face, `${name}.mts`)));
  return stage.shell(
    `set -e\nnode '${root}/node_modules/typescript/bin/tsc' -p tsconfig.json\nnode ${name}.mts`,
  );
}

function checking(face: string, file: string): object {
  return {
    extends: join(root, 'test', 'tsconfig.json'),
    compilerOptions: {
      paths: { forensics: [face] },
      typeRoots: [join(root, 'node_modules', '@types')],
      rootDir: '/',
      // An example may declare a value that it does not use.
      noUnusedLocals: false,
    },
    include: [file],
  };
}
