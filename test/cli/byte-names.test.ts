import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scenePng } from '../fixtures/pictures.ts';
import { emptyFolder, startCli } from './run-cli.ts';

/** As on an old disk: ISO 8859-1. */
const latin = (text: string) => Buffer.from(text, 'latin1');

/** Other file systems, on macOS and Windows, reject such names. */
const takesBytes = process.platform === 'linux';

test.skipIf(!takesBytes)(
  'file names that are not UTF-8 are examined, displayed escaped and written safely',
  async () => {
    const dir = await emptyFolder();
    const disk = Buffer.concat([Buffer.from(`${dir}/`), latin('M\xfcller')]);
    mkdirSync(disk);
    const picture = await scenePng({ width: 128, height: 128, seed: 7 });
    for (const name of ['B\xe4r.png', 'B\xf6r.png']) {
      writeFileSync(Buffer.concat([disk, Buffer.from('/'), latin(name)]), picture);
    }

    // Once as a folder, and once within it with the names passed by the shell.
    const tier = '--tier forensicReporting --lang en';
    const ran = await startCli(['analyze'], {
      cwd: dir,
      shell: `"$@" --recursive . --jsonl && cd M* && "$@" --jsonl ${tier} --out "${dir}/out" *.png`,
    });

    const records = ran.stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    const examined = { verdict: expect.any(String), error: null };
    expect(ran).toMatchObject({ code: 0 });
    expect(records).toMatchObject([
      { file: 'M⟨0xFC⟩ller/B⟨0xE4⟩r.png', ...examined },
      { file: 'M⟨0xFC⟩ller/B⟨0xF6⟩r.png', ...examined },
      { file: 'B⟨0xE4⟩r.png', ...examined },
      { file: 'B⟨0xF6⟩r.png', ...examined },
    ]);
    expect(readdirSync(join(dir, 'out')).toSorted()).toEqual(['B_r', 'B_r-2']);
    expect(existsSync(join(dir, 'out', 'B_r', 'evidence.zip'))).toBe(true);
  },
);
