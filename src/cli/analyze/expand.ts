/** Turns each input into pictures to examine: a web address into its file, a PDF into the pictures in it. */

import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { Language } from '../../contract/vocabulary.ts';
import { ForensicsError } from '../../errors.ts';
import type { Sandbox } from '../../examiner/sandbox.ts';
import { sniffOtherKind } from '../../image/file-kind.ts';
import { localLimits } from '../../image/picture.ts';
import { fetchFile } from '../../ports/network/fetch-file.ts';
import type { Origin } from '../../present/report-item.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { type Input, readHead, readSource } from './inputs.ts';

interface Expansion {
  readonly pdf: Pick<Sandbox, 'listPdfParts' | 'readPdfPart'>;
  /** For the names of pictures in a PDF. */
  readonly language: Language;
  /** In the form that `createAddressGuard` takes. */
  readonly fetchAllow: readonly string[];
  readonly signal: AbortSignal;
  /** Called with the number of inputs that an input expands to, beyond itself. */
  readonly onMore: (count: number) => void;
}

/** Each takes the place of the input it came from. Anything that cannot be fetched or opened becomes a failed input. */
export async function* expandInputs(
  inputs: AsyncIterable<Input>,
  expansion: Expansion,
): AsyncGenerator<Input> {
  for await (const input of inputs) {
    try {
      yield* expand(input, expansion);
    } catch (error) {
      if (!(error instanceof ForensicsError)) throw error;
      yield { ...input, failure: error };
    }
  }
}

async function* expand(input: Input, expansion: Expansion): AsyncGenerator<Input> {
  const isDone = input.failure !== null || input.skipped !== undefined;
  if (isDone) yield input;
  else if (input.url !== undefined) yield* expand(await fetched(input.url, expansion), expansion);
  else {
    const { content, path } = input;
    const head = content?.bytes ?? (path === null ? null : await readHead(path));
    const isPdf = head !== null && sniffOtherKind(head) === 'pdf';
    if (isPdf) yield* partsOf(input, expansion);
    else yield input;
  }
}

async function fetched(url: string, { fetchAllow, signal }: Expansion): Promise<Input> {
  const fetchedAt = new Date().toISOString();
  const limits = { allow: fetchAllow, maxBytes: localLimits.maxBytes, signal };
  const { bytes, ...facts } = await fetchFile(url, limits);
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
  const { parts, ...counts } = await pdf.listPdfParts({ source }, { signal });
  const left = [
    { code: 'small_pictures', count: counts.tooSmall },
    { code: 'repeated_pictures', count: counts.repeated },
    { code: 'later_pages', count: counts.laterPages },
  ] as const;
  const skipped = left.filter(({ count }) => count > 0);
  onMore(parts.length + skipped.length - 1);
  const sha256 = hash('sha256', source.bytes);
  for (const part of parts) {
    const name = `${input.label}, ${words.part(part.page, part.picture)}`;
    const origin: Origin = { kind: 'pdf', name: basename(input.label), sha256, ...part };
    const origins = [...(input.origins ?? []), origin];
    // oxlint-disable-next-line no-await-in-loop -- read when its turn comes, so that few are in memory
    yield await partInput({ name, origins }, () => pdf.readPdfPart({ source, part }, { signal }));
  }
  for (const one of skipped) yield { ...input, skipped: one };
}

async function partInput(
  { name, origins }: { readonly name: string; readonly origins: readonly Origin[] },
  read: () => Promise<Uint8Array>,
): Promise<Input> {
  const input: Input = { label: name, path: null, failure: null, origins };
  try {
    return { ...input, content: { bytes: await read(), name } };
  } catch (error) {
    if (!(error instanceof ForensicsError)) throw error;
    return { ...input, failure: error };
  }
}
