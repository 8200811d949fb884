/** The list that is signed: every other file of the bundle by name, size and SHA-256, what it is about, and whose key. */

import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { parseJson } from './canonical-json.ts';
import { bundleFormat, maxBundleBytes, maxBundleFiles } from './layout.ts';

const hex = (digits: number) => Type.String({ pattern: `^[0-9a-f]{${digits}}$` });
const time = Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` });
const size = Type.Integer({ minimum: 0, maximum: maxBundleBytes });
const fileName = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9.-]{0,63}$' });

const schema = Type.Object(
  {
    format: Type.Literal(bundleFormat),
    /** Of the program that wrote it. */
    product: Type.String(),
    /** When the picture was examined, and when the bundle was signed, by the clock of the signing machine. */
    examinedAt: time,
    signedAt: time,
    key: Type.Object({ algorithm: Type.Literal('Ed25519'), fingerprint: hex(64) }),
    item: Type.Object({
      /** As it was handed in; any characters. */
      name: Type.String(),
      sizeBytes: size,
      sha256: hex(64),
      sha512: hex(128),
      md5: hex(32),
      /** Null when the picture was left out. */
      file: Type.Union([fileName, Type.Null()]),
    }),
    files: Type.Array(Type.Object({ name: fileName, sizeBytes: size, sha256: hex(64) }), {
      maxItems: maxBundleFiles,
    }),
  },
  { additionalProperties: false },
);

export type Manifest = Static<typeof schema>;

const compiled = Compile(schema);

/** Null for what is no manifest of this format. */
export function parseManifest(bytes: Uint8Array): Manifest | null {
  const value = parseJson(bytes);
  return compiled.Check(value) && isDate(value.examinedAt) && isDate(value.signedAt) ? value : null;
}

function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
