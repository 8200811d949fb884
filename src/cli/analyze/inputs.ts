/** Finds and reads the pictures that the arguments refer to. What cannot be opened becomes a failed input. */

import { constants, createReadStream, fstatSync, openSync, type Stats } from 'node:fs';
import { access, open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { hash } from 'node:crypto';
import { failure, ForensicsError } from '../../contract/errors.ts';
import { absolutePath, nameOf, pathOf, shownName } from '../../ports/files/byte-names.ts';
import { readUpTo, systemCodeOf, toReadFailure } from '../../ports/files/files.ts';
import { formatOfName, type OtherKind, sniffFormat, sniffOther } from '../../image/file-kind.ts';
import { localLimits, type PictureSource } from '../../image/picture.ts';
import type { Origin } from '../../present/report-item.ts';
import type { Language } from '../../contract/vocabulary.ts';
import type { Sandbox } from '../../examiner/sandbox.ts';
import { fetchFile } from '../../ports/network/post.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';

/** One file, or a folder that was left out. */
export interface Input {
  /** The name that the user gave, safe to print. */
  readonly label: string;
  /** A path as `byte-names` writes it; null for standard input, and for anything that is not a separate file. */
  readonly path: string | null;
  readonly failure: ForensicsError | null;
  /** A web address for `expandInputs` to fetch. */
  readonly url?: string;
  /** The bytes of a picture that is not a separate file, and their name; a stream has none. */
  readonly content?: { readonly bytes: Uint8Array; readonly name?: string };
  readonly origins?: readonly Origin[];
  /** Why the input was skipped although nothing failed; absent if it is examined. */
  readonly skipped?: Skipped;
}

/** Anything else found in a folder or PDF. It is recorded so that nothing is left unaccounted for. */
export type Skipped =
  | { readonly code: 'not_a_picture'; readonly kind: OtherKind }
  | {
      readonly code: 'small_pictures' | 'repeated_pictures' | 'later_pages';
      readonly count: number;
    }
  | {
      readonly code: 'hidden' | 'own_results' | 'special_file' | 'folder_seen_before' | 'elsewhere';
    };

interface Walk {
  readonly recursive: boolean;
  /** The folder for the results, which is skipped because it contains pictures of our own. */
  readonly exceptDir: string | null;
  /** Absolute paths of the arguments; they are skipped inside folders, because they are examined separately. */
  readonly named: ReadonlySet<string>;
  /** Real paths of the folders seen so far; a link back up the tree is therefore followed at most once. */
  readonly seen: Set<string>;
  /** Whether links may lead out of the folder. Not in what somebody else prepared: a link to / would read the machine. */
  readonly leavesFolder?: boolean;
}

/** In the order of the arguments, folders by name, each path once. Keeps only the folders on the current path. */
export async function* walkInputs(
  args: readonly string[],
  options: Pick<Walk, 'recursive' | 'exceptDir' | 'leavesFolder'>,
): AsyncGenerator<Input> {
  const named = new Set(args.map(absolutePath));
  const walk: Walk = { ...options, named, seen: new Set() };
  const left = new Set(named);
  for (const arg of args) {
    if (arg === '-') yield { label: arg, path: null, failure: null };
    else if (/^https?:\/\//i.test(arg)) yield { ...inputAt(arg), path: null, url: arg };
    else if (left.delete(absolutePath(arg))) yield* orFailed(inputAt(arg), inputsOf(arg, walk));
  }
}

function inputAt(path: string): Input {
  return { label: shownName(path), path, failure: null };
}

/** What cannot be opened becomes one failed input, and the walk continues. */
async function* orFailed(input: Input, found: AsyncIterable<Input>): AsyncGenerator<Input> {
  try {
    yield* found;
  } catch (error) {
    if (!(error instanceof ForensicsError)) throw error;
    yield { ...input, failure: error };
  }
}

async function* inputsOf(path: string, walk: Walk): AsyncGenerator<Input> {
  const { recursive, named, seen } = walk;
  const found = await attempt(() => stat(pathOf(path)));
  if (!found.isDirectory()) {
    yield inputAt(path);
    return;
  }
  if (!recursive) throw failure('folder_without_recursive', {});
  // This folder is inside an earlier argument.
  const top = await attempt(() => realName(path));
  if (seen.has(top)) return;
  let isEmpty = true;
  for await (const input of filesBelow(path, top, walk)) {
    if (input.skipped === undefined) isEmpty = false;
    if (!named.has(absolutePath(input.path ?? input.label))) yield input;
  }
  if (isEmpty) throw failure('no_picture_in_folder', {});
}

async function* filesBelow(dir: string, top: string, walk: Walk): AsyncGenerator<Input> {
  const { exceptDir, seen, leavesFolder = false } = walk;
  const real = await attempt(() => realName(dir));
  const isExcepted = exceptDir !== null && real === (await realName(exceptDir).catch(() => null));
  const isElsewhere = !leavesFolder && !isInside(real, top);
  if (isExcepted || isElsewhere || seen.has(real)) {
    const otherwise = isElsewhere ? 'elsewhere' : 'folder_seen_before';
    yield { ...inputAt(dir), skipped: { code: isExcepted ? 'own_results' : otherwise } };
    return;
  }
  seen.add(real);
  const found = await attempt(() => readdir(pathOf(dir), { encoding: 'buffer' }));
  const names = found.map(nameOf).toSorted();
  if (await holdsResults(dir, names)) {
    yield { ...inputAt(dir), skipped: { code: 'own_results' } };
    return;
  }
  for (const name of names) {
    const path = join(dir, name);
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that no list is kept in memory
    const stats = await stat(pathOf(path)).catch(() => null);
    if (name.startsWith('.')) yield { ...inputAt(path), skipped: { code: 'hidden' } };
    else if (stats?.isDirectory()) yield* orFailed(inputAt(path), filesBelow(path, top, walk));
    else yield await fileBelow(path, stats, leavesFolder ? null : top);
  }
}

const resultNames =
  /^(?:result\.json|evidence\.zip|heatmap-[a-z]+\.png|report-[a-z]{2}\.(?:pdf|html))$/;

/** Whether a run wrote this folder, to which nothing was added: a picture placed beside the results is examined. */
async function holdsResults(dir: string, names: readonly string[]): Promise<boolean> {
  if (!names.includes('result.json') || !names.every((name) => resultNames.test(name)))
    return false;
  const text = await readFile(pathOf(join(dir, 'result.json')), 'utf8').catch(() => '');
  return /^ {2}"files": \[\n {4}"result\.json"/m.test(text);
}

export function isInside(inner: string, outer: string): boolean {
  return `${inner}${sep}`.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

async function realName(path: string): Promise<string> {
  return nameOf(await realpath(pathOf(path), { encoding: 'buffer' }));
}

/**
 * A file counts as a picture or PDF even if only its name suggests so; examining it reports the rest.
 *
 * @param stats - null for a broken link.
 * @param top - the folder that links may not lead out of; null if they may.
 */
async function fileBelow(path: string, stats: Stats | null, top: string | null): Promise<Input> {
  const input = inputAt(path);
  const real = top === null ? null : await realName(path).catch(() => null);
  if (top !== null && real !== null && !isInside(real, top))
    return { ...input, skipped: { code: 'elsewhere' } };
  if (stats !== null && !stats.isFile()) return { ...input, skipped: { code: 'special_file' } };
  const isNamed = formatOfName(path) !== null || /\.pdf$/i.test(path);
  const head = stats === null || isNamed ? null : await readHead(path);
  if (head === null || sniffFormat(head) !== null) return input;
  const { kind, isPicture } = sniffOther(head);
  if (isPicture || kind === 'pdf') return input;
  return { ...input, skipped: { code: 'not_a_picture', kind } };
}

const headBytes = 4096;

/** The bytes that identify the kind of a file. Null if it cannot be read; opening it later reports why. */
export async function readHead(path: string): Promise<Uint8Array | null> {
  const file = await open(pathOf(path), 'r').catch(() => null);
  try {
    const found = await file?.read(new Uint8Array(headBytes), 0, headBytes, 0);
    return found?.buffer.subarray(0, found.bytesRead) ?? null;
  } catch {
    return null;
  } finally {
    await file?.close();
  }
}

/** @throws {ForensicsError} `file_not_found`, `file_not_readable`, `image_too_many_bytes`. */
export async function openSource(
  { failure: failed, content, path }: Input,
  signal?: AbortSignal,
): Promise<PictureSource> {
  if (failed) throw failed;
  if (content !== undefined) return content;
  if (path === null) return { bytes: await readAll(process.stdin, signal) };
  return attempt(async () => {
    await access(pathOf(path), constants.R_OK);
    // A pipe such as `<(curl ...)` can be read only once, so it is read here; a file is read by the child process.
    const isFile = (await stat(pathOf(path))).isFile();
    return isFile ? { path } : { bytes: await readFileAt(path, signal) };
  });
}

/** Reads the bytes here, because a signature needs exactly the bytes that were examined. @throws as `openSource`. */
export async function readSource(input: Input): Promise<Exclude<PictureSource, { path: string }>> {
  const source = await openSource(input);
  if ('bytes' in source) return source;
  const { path } = source;
  const bytes = await attempt(() => readFileAt(path));
  return { bytes, name: shownName(basename(path)) };
}

async function readFileAt(path: string, signal?: AbortSignal): Promise<Uint8Array> {
  // Opened otherwise, a named pipe that no program writes to would block a thread for ever, even at exit.
  const fd = openSync(pathOf(path), constants.O_RDONLY | constants.O_NONBLOCK);
  return readAll(
    fstatSync(fd).isFIFO() ? new Socket({ fd }) : createReadStream('', { fd }),
    signal,
  );
}

async function readAll(stream: Readable, signal?: AbortSignal): Promise<Uint8Array> {
  const { maxBytes } = localLimits;
  if (signal) addAbortSignal(signal, stream);
  const bytes = await readUpTo(stream, maxBytes);
  if (bytes !== undefined) return bytes;
  throw failure('more_bytes_than', { megabytes: Math.floor(maxBytes / 1e6) });
}

async function attempt<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw toFileFailure(error);
  }
}

export function toFileFailure(error: unknown): unknown {
  const isFolder = systemCodeOf(error) === 'EISDIR';
  return isFolder ? failure('folder_without_recursive', {}) : toReadFailure(error);
}

// Turns each input into pictures to examine: a web address into its file, a PDF into the pictures in it.

interface Expansion {
  readonly pdf: () => Pick<Sandbox, 'listPdfParts' | 'readPdfPart'>;
  /** Used to name the pictures in a PDF. */
  readonly language: Language;
  /** In the form that `createAddressGuard` takes. */
  readonly fetchAllow: readonly string[];
  readonly signal: AbortSignal;
  /** Called with the number of additional inputs that an input expands to. */
  readonly onMore: (count: number) => void;
}

/** Replaces each input by the pictures in it. Anything that cannot be fetched or opened becomes a failed input. */
export async function* expandInputs(
  inputs: AsyncIterable<Input>,
  expansion: Expansion,
): AsyncGenerator<Input> {
  for await (const input of inputs) yield* orFailed(input, expand(input, expansion));
}

async function* expand(input: Input, expansion: Expansion): AsyncGenerator<Input> {
  const isDone = input.failure !== null || input.skipped !== undefined;
  if (isDone) yield input;
  else if (input.url !== undefined) yield* expand(await fetched(input.url, expansion), expansion);
  else {
    const source = await openSource(input, expansion.signal);
    const isFile = 'path' in source;
    const head = isFile ? await readHead(source.path) : source.bytes;
    const isPdf = head !== null && sniffOther(head).kind === 'pdf';
    const found = isFile ? input : { ...input, content: source };
    if (isPdf) yield* partsOf(found, expansion);
    else yield found;
  }
}

async function fetched(url: string, { fetchAllow, signal }: Expansion): Promise<Input> {
  const fetchedAt = new Date().toISOString();
  const { maxBytes } = localLimits;
  const { bytes, ...facts } = await fetchFile(url, { allow: fetchAllow, maxBytes, signal });
  return {
    label: url,
    path: null,
    failure: null,
    content: { bytes, name: basename(new URL(url).pathname) },
    origins: [{ kind: 'url', url, ...facts, fetchedAt }],
  };
}

async function* partsOf(input: Input, expansion: Expansion): AsyncGenerator<Input> {
  const { pdf, language, signal, onMore } = expansion;
  const source = await readSource(input);
  const words = wordsIn(language).terminal.pdf;
  const document = input.label === '-' ? 'stdin' : input.label;
  const { parts, ...counts } = await pdf().listPdfParts({ source }, { signal });
  const left = [
    { code: 'small_pictures', count: counts.tooSmall },
    { code: 'repeated_pictures', count: counts.repeated },
    { code: 'later_pages', count: counts.laterPages },
  ] as const;
  const skipped = left.filter(({ count }) => count > 0);
  onMore(parts.length + skipped.length - 1);
  const sha256 = hash('sha256', source.bytes);
  for (const part of parts) {
    const place = words.part(part.page, part.picture);
    const origin: Origin = { kind: 'pdf', name: basename(document), sha256, ...part };
    const origins = [...(input.origins ?? []), origin];
    const label = `${document}, ${place}`;
    const found: Input = { label, path: null, failure: null, origins };
    try {
      // oxlint-disable-next-line no-await-in-loop -- one part at a time, so that few are in memory
      const bytes = await pdf().readPdfPart({ source, part }, { signal });
      // Reports name no folders of the machine.
      yield { ...found, content: { bytes, name: `${basename(document)}, ${place}` } };
    } catch (error) {
      if (!(error instanceof ForensicsError)) throw error;
      yield { ...found, failure: error };
    }
  }
  for (const one of skipped) yield { ...input, skipped: one };
}
