/** What a backup says of itself. The last but one entry of the archive; the last one is its SHA-256. */

import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { databaseName } from '../data-folder/data-folder.ts';

const count = Type.Integer({ minimum: 0 });
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });

const schema = Type.Object({
  format: Type.Literal(1),
  /** The version of the program that made it. */
  program: Type.String(),
  /** ISO 8601. */
  createdAt: Type.String(),
  /** Version of the database's schema. */
  schema: count,
  /** Whether keys and certificates are in it, apart from a master key that the settings hold. */
  holdsKeys: Type.Boolean(),
  masterKey: Type.Object({
    /** `here`: in this backup; `apart`: left out on purpose; `environment`: the settings held it. */
    place: Type.Union([Type.Literal('here'), Type.Literal('apart'), Type.Literal('environment')]),
    /** Derived from the key: tells whether another one is the same, and nothing else. */
    id: Type.String({ pattern: '^[0-9a-f]{16}$' }),
  }),
  /** What the server was told beyond its defaults, as people may see it; secrets are replaced. */
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** By table. */
  rows: Type.Record(Type.String(), count),
  /** Of everything but the list of hashes and this. */
  files: count,
  bytes: count,
  /** SHA-256 of the list of hashes. */
  sums: sha256,
  /** Objects that a row names and that were not in the store, such as those that a client has yet to upload. */
  absent: Type.Array(Type.Object({ path: Type.String(), isEvidence: Type.Boolean() })),
  /** Stores of others, whose objects are not in the backup. */
  elsewhere: Type.Array(
    Type.Object({ type: Type.String(), place: Type.String(), analyses: count }),
  ),
});

export type Manifest = Static<typeof schema>;

export const names = {
  database: databaseName,
  sums: 'SHA256SUMS',
  manifest: 'manifest.json',
  manifestSum: 'manifest.json.sha256',
} as const;

export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Null when it is none. */
export function parseManifest(text: string): Manifest | null {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(schema, value) ? value : null;
  } catch {
    return null;
  }
}

/** A line as `sha256sum` writes it, so that it can check an unpacked backup. */
export function sumLine(sha256Hex: string, name: string): string {
  return `${sha256Hex}  ${name}\n`;
}
