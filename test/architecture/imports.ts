/** The imports of the sources, as used by the figures and the architecture test. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

export const src = new URL('../../src', import.meta.url).pathname;

export interface Import {
  readonly file: string;
  /** A file below `src`, or a package. */
  readonly to: string;
  readonly isPackage: boolean;
  /** Neither type-only nor loaded lazily. */
  readonly isEager: boolean;
}

export function sourceFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
}

export function importsOf(): Import[] {
  return sourceFiles().flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    const found = text.matchAll(
      /^(?:import|export)\b(?<kind>\s+type\b)?(?:[^;'"]*?\bfrom)?\s*['"](?<name>[^'"]+)['"]|\bimport\(\s*['"](?<lazy>[^'"]+)['"]/gm,
    );
    return [...found]
      .map(({ groups }) => ({ ...groups, at: groups!['name'] ?? groups!['lazy']! }))
      .filter(({ at }) => !at.startsWith('node:'))
      .map(({ at, ...groups }) => {
        const isPackage = !at.startsWith('.');
        const to = isPackage ? at : join(dirname(file), at);
        const { kind, lazy } = groups as Record<string, string | undefined>;
        return { file, to, isPackage, isEager: kind === undefined && lazy === undefined };
      });
  });
}

/** The folder below `src` that contains a file, or the file's own name. */
export function moduleOf(file: string): string {
  return relative(src, join(src, file))
    .split(sep)[0]!
    .replace(/\.tsx?$/, '');
}

/** Groups of files that import each other in a cycle when loaded. */
export function cycles(): string[][] {
  const arrows = new Map(sourceFiles().map((file) => [file, [] as string[]]));
  for (const { file, to, isPackage, isEager } of importsOf()) {
    if (!isPackage && isEager) arrows.get(file)!.push(to);
  }
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
  const inCycle = [...arrows.keys()].filter((file) => reach(file).has(file));
  const groups = new Map<string, string[]>();
  for (const file of inCycle) {
    const group = inCycle.filter((other) => reach(file).has(other) && reach(other).has(file));
    groups.set(group.toSorted().join(' '), group);
  }
  return [...groups.values()];
}
