/** Prepares the stage of the manual's examples: the pictures, and the commands that they call. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sceneJpeg } from '../../test/fixtures/pictures.ts';
import { root } from './manual.ts';

/** The pictures of the examples: small if the size does not matter. */
export async function furnish(folder: string): Promise<void> {
  const pictures = {
    'photo.jpg': { width: 720, height: 510, seed: 3 },
    'pictures/a.jpg': { width: 256, height: 256, seed: 4 },
    'pictures/b.jpg': { width: 256, height: 256, seed: 5 },
    'photos/camera/1.jpg': { width: 128, height: 128, seed: 6 },
    'photos/phone/2.jpg': { width: 128, height: 128, seed: 7 },
    'generated/one/3.jpg': { width: 128, height: 128, seed: 8 },
    'generated/other/4.jpg': { width: 128, height: 128, seed: 9 },
  };
  for (const [name, size] of Object.entries(pictures)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await sceneJpeg(size));
  }
}

/** The manual's commands run from the sources; tests run only after `npm ci`, so the dependencies exist. */
export function writeCommands(folder: string): string {
  const entry = join(root, 'test', 'cli', 'entry.ts');
  const draw = join(root, 'bin', 'draw.ts');
  const commands = {
    forensics: `exec node '${entry}' "$@"`,
    npx: '[ "$1" = forensics ] && exec "$@"',
    npm: `case "$*" in
      'run setup') exit ;;
      'run --silent draw -- '*) exec node '${draw}' "$5" ;;
    esac
    echo "npm $* is not on this stage" && exit 1`,
  };
  mkdirSync(folder);
  for (const [name, script] of Object.entries(commands)) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }
  return folder;
}

/** Without the executables of the checkout. */
export function systemPath(): string {
  const { PATH = '' } = process.env;
  return PATH.split(':')
    .filter((folder) => !folder.startsWith(root))
    .join(':');
}
