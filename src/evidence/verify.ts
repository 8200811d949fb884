/**
 * Verifies an evidence bundle from the file alone, without our keys, models or a network. Checks that every byte is as
 * it was signed, that the signature matches the included key, and that all parts describe the same picture and result.
 * Of a case archive, the bundle of each picture is verified in the same way, one at a time.
 */

import { verify } from 'node:crypto';
import { Type } from 'typebox';
import { ForensicsError } from '../contract/errors.ts';
import { type Archive, openArchive } from './archive.ts';
import {
  canonicalBytes,
  createReader,
  fileNames,
  type Manifest,
  openZip,
  parseManifest,
  type Problem,
  sha256Of,
  type Verification,
  type VerifyOptions,
  type ZipEntry,
} from './bundle-format.ts';
import { parseCaseRecord } from './records.ts';
import { readPublicKey } from './sign.ts';
import { checkReports, findContradictions, unless } from './contradictions.ts';
import { caseFormat, maxBundleBytes } from '../contract/verification.ts';

/** A failed verification is a result. @throws {ForensicsError} `bundle_unreadable` if it is not a bundle, `file_*`. */
export async function verifyBundle(
  bundle: string | number | Uint8Array,
  { fingerprint }: VerifyOptions = {},
): Promise<Verification> {
  const archive = await openArchive(bundle);
  if (archive === null) return broken(damaged);
  try {
    return await inspect(archive, fingerprint ?? null, { isInCase: false });
  } finally {
    await archive.close();
  }
}

/** Also returns the unchanged files by name; of a case, without the bundles in it. @throws as `verifyBundle`. */
export async function inspectBundle(bundle: string | Uint8Array, options: VerifyOptions) {
  const verification = await verifyBundle(bundle, options);
  const files = new Map<string, Uint8Array>();
  const archive = verification.manifest && (await openArchive(bundle));
  try {
    for (const { name, sha256 } of verification.manifest?.files ?? []) {
      const found = name.endsWith('.zip') ? null : await archive?.content(name);
      if (found && sha256Of(found.bytes) === sha256) files.set(name, found.bytes);
    }
  } finally {
    await archive?.close();
  }
  return { verification, files };
}

async function inspect(
  archive: Archive,
  expected: string | null,
  { isInCase }: { readonly isInCase: boolean },
): Promise<Verification> {
  const manifestBytes = (await archive.content(fileNames.manifest))?.bytes;
  if (manifestBytes === undefined) {
    if (archive.names.includes(fileNames.signature))
      return broken(`${fileNames.manifest} is missing.`, 'missing', fileNames.manifest);
    throw new ForensicsError('bundle_unreadable', notABundle);
  }
  const manifest = parseManifest(manifestBytes);
  if (manifest === null) {
    const message = `${fileNames.manifest} was changed: it is not a list of files.`;
    return broken(message, 'changed', fileNames.manifest);
  }
  const isCase = manifest.format === caseFormat;
  // Everything in a case archive is stored uncompressed, and one case cannot contain another.
  const maxBytes = isCase ? archive.sizeBytes : maxBundleBytes;
  if (archive.unpackedBytes > maxBytes || (isCase && isInCase)) return broken(damaged);
  const { key, problems: ofSignature } = await checkSignature(archive, manifest, expected);
  const intact = new Set<string>();
  // Each is read again when it is needed, because together they may not fit into memory.
  const files = {
    get: async (name: string) =>
      intact.has(name) ? (await archive.content(name))?.bytes : undefined,
  };
  const pictures = new Map<string, Verification>();
  const problems: Problem[] = [...ofSignature];
  const found = await checkFiles(archive, manifest, async (name, bytes) => {
    if (!isCase || !name.endsWith('.zip')) {
      intact.add(name);
      return;
    }
    const verified = await verifyPicture(bytes, key?.fingerprint ?? null);
    pictures.set(name, verified);
    for (const { kind, file, message } of verified.problems) {
      const path = file === null ? name : `${name}/${file}`;
      problems.push({ kind, file: path, message: `${name}: ${message}` });
    }
  });
  problems.push(...found);
  if (isCase) {
    problems.push(
      ...(await checkReports(manifest, files)),
      ...checkRecord(await files.get(fileNames.case), pictures),
    );
  } else if (key !== null) problems.push(...(await findContradictions(manifest, files)));
  return {
    holds: problems.length === 0,
    problems,
    key,
    // Without a valid signature, the list cannot be trusted.
    manifest: key && manifest,
    verdict: key && (readVerdict(await files.get(fileNames.result))?.verdict ?? null),
    ...(isCase && {
      pictures: [...pictures].map(([file, { manifest: own, verdict, holds }]) => {
        return { file, name: own?.item.name ?? null, verdict, holds };
      }),
    }),
  };
}

function broken(
  message: string,
  kind: Problem['kind'] = 'container',
  file: string | null = null,
): Verification {
  const problems = [{ kind, file, message }];
  return { holds: false, problems, key: null, manifest: null, verdict: null };
}

const readVerdict = createReader(Type.Object({ verdict: Type.String() }));

const damaged =
  'The archive can no longer be read: it was damaged or truncated, or data was added before or after it.';

const notABundle = 'This zip archive is not an evidence bundle: it contains no manifest.json.';

/**
 * Checks the signature against the list and the key. The key comes from the archive itself, so this
 * only proves that everything was signed by the same person, whom the key's fingerprint identifies.
 *
 * @param expected - fingerprint of the expected key; null if the caller gives none.
 */
async function checkSignature(
  archive: Archive,
  manifest: Manifest,
  expected: string | null,
): Promise<Pick<Verification, 'problems' | 'key'>> {
  const signature = await archive.content(fileNames.signature);
  if (signature === null)
    return unsigned('missing', fileNames.signature, 'The signature is missing.');
  const pem = await archive.content(fileNames.publicKey);
  const key = pem && readPublicKey(Buffer.from(pem.bytes).toString('latin1'));
  if (key === null)
    return unsigned('changed', fileNames.publicKey, 'The public key cannot be read.');
  const { fingerprint } = key;
  const isValid = verify(null, canonicalBytes(manifest), key.pem, signature.bytes);
  if (!isValid || manifest.key.fingerprint !== fingerprint) {
    return unsigned('signature', fileNames.signature, signatureInvalid);
  }
  const isExpected = expected === null ? null : expected === fingerprint;
  const message = `Signed with a different key from the one expected: its fingerprint is ${fingerprint}.`;
  const otherKey = { kind: 'key', file: fileNames.publicKey, message } as const;
  return { problems: isExpected === false ? [otherKey] : [], key: { fingerprint, isExpected } };
}

function unsigned(kind: Problem['kind'], file: string, message: string) {
  return { problems: [{ kind, file, message }], key: null };
}

const signatureInvalid =
  'The signature does not match: the list of files, the signature or the key was changed after signing.';

/**
 * Checks that the archive contains exactly the files in its list, unchanged, and is what our writer makes of them: if
 * it differs from that, bytes around the files were changed.
 *
 * @param take - receives the unchanged files, in the order of the list.
 */
async function checkFiles(
  archive: Archive,
  manifest: Manifest,
  take: (name: string, bytes: Uint8Array) => Promise<void>,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const isCase = manifest.format === caseFormat;
  const zip = openZip(new Date(isCase ? manifest.signedAt : manifest.examinedAt));
  let at = 0;
  let stray: string | null = null;
  const compare = async (what: string, expected: Uint8Array) => {
    const found = await archive.read(at, expected.length);
    if (Buffer.compare(found, expected) !== 0) stray ??= `${at}, ${what}`;
    at += expected.length;
  };
  // The list and its signature cannot be in the list. They come first in a bundle, and last in a case.
  const seal = [fileNames.manifest, fileNames.signature].map((name) => ({ name, sha256: null }));
  const inOrder: readonly { name: string; sha256: string | null; packedSha256?: string }[] = isCase
    ? [...manifest.files, ...seal]
    : [...seal, ...manifest.files];
  for (const { name, sha256, packedSha256 } of inOrder) {
    const found = await archive.content(name);
    if (found === null) {
      problems.push({ kind: 'missing', file: name, message: `${name} is missing.` });
      continue;
    }
    const isSame = sha256 === null || sha256Of(found.bytes) === sha256;
    // A changed file is reported by itself; around it, the archive must agree with what its header states.
    if (!isSame) problems.push({ kind: 'changed', file: name, message: `${name} was changed.` });
    const expected = isSame ? asSigned(found, packedSha256) : found;
    const [header, content] = zip.add(expected);
    await compare(`the header of ${name}`, header);
    at += content.length;
    if (isSame && sha256 !== null) await take(name, found.bytes);
  }
  problems.push(...findAdded(manifest, archive.names));
  for (const part of zip.end()) await compare(part.what, part.bytes);
  if (at !== archive.sizeBytes) stray ??= `${at}, the end of the archive`;
  // Once a file is missing or added, all bytes after it are elsewhere.
  if (stray === null || problems.some(({ kind }) => kind !== 'changed')) return problems;
  const message = `The archive is not as it was written: bytes were changed or added at or after byte ${stray}.`;
  return [...problems, { kind: 'container', file: null, message }];
}

function asSigned({ name, bytes, packed }: ZipEntry, packedSha256: string | undefined): ZipEntry {
  if (packedSha256 === undefined) return { name, bytes };
  const isAsPacked = packed !== undefined && sha256Of(packed) === packedSha256;
  return { name, bytes, packed: isAsPacked ? packed : new Uint8Array() };
}

function findAdded({ files }: Manifest, names: readonly string[]): readonly Problem[] {
  const { manifest, signature } = fileNames;
  const listed = new Set([...files.map(({ name }) => name), manifest, signature]);
  return names.flatMap((file, at) => {
    if (listed.has(file) && names.indexOf(file) === at) return [];
    const isTwice = listed.has(file);
    const what = isTwice ? 'is in the archive more than once' : 'was added: it is not in the list';
    return [{ kind: 'added' as const, file, message: `${file} ${what}.` }];
  });
}

/** The bundle of a picture in a case. An entry that is not a valid bundle has a result, too. */
async function verifyPicture(bytes: Uint8Array, signer: string | null): Promise<Verification> {
  try {
    const archive = await openArchive(bytes);
    if (archive !== null) return await inspect(archive, signer, { isInCase: true });
    return broken(damaged);
  } catch (error) {
    if (!(error instanceof ForensicsError)) throw error;
    return broken(error.message);
  }
}

/** Checks that the list of pictures in a case matches the bundles in the archive. */
function checkRecord(bytes: Uint8Array | undefined, pictures: ReadonlyMap<string, Verification>) {
  if (bytes === undefined) return [];
  const record = parseCaseRecord(bytes);
  if (record === null)
    return unless(false, fileNames.case, `${fileNames.case} contains no list of pictures.`);
  const listed = record.pictures.filter(({ file }) => file !== null);
  const isSame = listed.every(({ file, sha256, verdict, manifestSha256 }) => {
    const found = pictures.get(file!);
    // A bundle that failed verification has already been reported.
    if (found === undefined || !found.holds) return true;
    return (
      found.manifest?.item.sha256 === sha256 &&
      found.verdict === verdict &&
      sha256Of(canonicalBytes(found.manifest)) === manifestSha256
    );
  });
  const isWhole = listed.length === pictures.size;
  const message = `${fileNames.case} lists pictures that differ from those in this archive.`;
  return unless(isSame && isWhole, fileNames.case, message);
}
