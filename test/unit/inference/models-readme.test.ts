/** `models/README.md` guides makers of models: its examples and lists of fields are checked against the parsers. */

import { describe, expect, test } from 'vitest';
import { packagedText } from './model-folder.ts';
import { parseAnyManifest } from '../../../src/contract/manifest.ts';

const readme = packagedText('README.md');

describe.each(['image', 'localisation'])('the manifest of a model of type %s', (kind) => {
  const [, example = ''] = new RegExp('```json ' + kind + '\n(.*?)```', 's').exec(readme) ?? [];
  const [, listed = ''] = readme.split('```json ' + kind);
  const [table = ''] = listed.split(/\n#+ /);
  const fields = [...table.matchAll(/^\| `([^`]+)` \| (yes|no) \|/gm)].map(
    ([, path = '', needed]) => ({ path, isNeeded: needed === 'yes' }),
  );

  test('matches its example, which has every field', () => {
    expect(parseAnyManifest(example)).toMatchObject({ type: kind });
    expect(fields.length).toBeGreaterThan(10);
    expect(fields.filter(({ path }) => without(example, path) === null)).toEqual([]);
  });

  test('needs its required fields, but not its optional ones', () => {
    const isRead = fields.map(({ path }) => ({ path, isNeeded: !isAccepted(example, path) }));

    expect(isRead).toEqual(fields);
  });

  test.each([kind === 'image' ? 'trace-3' : 'locate-1'])(
    'has no undocumented fields in %s',
    (name) => {
      const manifest: object = JSON.parse(JSON.stringify(parseAnyManifest(packagedManifest(name))));
      const known = [...fields.map(({ path }) => path), 'id', 'version', 'created', 'files'];

      const unknown = pathsOf(manifest).filter(
        (path) => !known.some((listedPath) => isOf(path, listedPath)),
      );

      expect(unknown).toEqual([]);
    },
  );
});

const packagedManifest = (name: string) => packagedText(`${name}/manifest.json`);

/** Whether the list entry describes the value or an object that contains it. */
function isOf(path: string, listed: string): boolean {
  return path === listed || path.startsWith(`${listed}.`);
}

function isAccepted(example: string, path: string): boolean {
  try {
    return parseAnyManifest(without(example, path) ?? '').id.length > 0;
  } catch {
    return false;
  }
}

/** The JSON text without one value; null if it has none. @param path - with dots. */
function without(text: string, path: string): string | null {
  const root: unknown = JSON.parse(text);
  const names = path.split('.');
  const last = names.pop() ?? '';
  const parent = names.reduce((at: unknown, name) => Object(at)[name], root);
  if (!Object.hasOwn(Object(parent), last)) return null;
  Reflect.deleteProperty(Object(parent), last);
  return JSON.stringify(root);
}

/** Paths of all values that are neither objects nor list entries. */
function pathsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([name, entry]) =>
    pathsOf(entry, path === '' ? name : `${path}.${name}`),
  );
}
