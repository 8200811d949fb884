/** Passes a signed file to the C2PA thread, waits for the result within limits, and reads the manifests in it. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { jsonOrNull } from '../contract/common.ts';
import { configInvalid } from '../contract/errors.ts';
import { answerOf } from '../threads.ts';
import { asList, asMembers, type Members, textIn } from './file-texts.ts';
import type { CredentialAction, CredentialIdentity } from '../contract/provenance.ts';

export interface ThreadTask {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly trustList: string | null;
  /** A compiled `WebAssembly.Module`. */
  readonly library: object;
}

/** The largest file that is accepted, 50 MB, takes three seconds on a busy machine. */
const timeoutMs = 20_000;
/** Only of the JavaScript heap: the library's own memory lies outside it, but within the child process's limit. */
const resourceLimits = { maxOldGenerationSizeMb: 256 };

/**
 * Reads the manifest store as crJSON (the JSON format of the C2PA conformance programme); null if
 * it cannot be read. The first read in a process takes a fifth of a second, mostly for loading the
 * 9 MB library, so this runs only for pictures with credentials.
 */
export async function readCrJson(task: Omit<ThreadTask, 'library'>): Promise<unknown> {
  const file = fileURLToPath(import.meta.resolve('@contentauth/c2pa-wasm/c2pa.wasm'));
  // The compiled code only, because each thread instantiates it with its own memory.
  library ??= new WebAssembly.Module(readFileSync(file));
  const workerData: ThreadTask = { ...task, library };
  const worker = new Worker(
    new URL(`../provenance/c2pa-thread${extname(import.meta.url)}`, import.meta.url),
    // Keeps messages of the library about a malicious store out of the log.
    { workerData, resourceLimits, stdout: true, stderr: true },
  );
  const answer = await answerOf(worker, timeoutMs);
  // Null also if the nesting is too deep for the parser.
  return typeof answer === 'string' ? jsonOrNull(answer) : null;
}

// Not included in the types of Node.js.
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object };

let library: object | null = null;

/** The certificates in a PEM file. @throws {ForensicsError} `config_invalid` if one is invalid or there is none. */
export function readTrustList(file: string): string {
  let cause: unknown;
  try {
    const blocks = readFileSync(file, 'utf8').match(pemBlock) ?? [];
    // The library accepts any text, but then trusts no signer, or reads nothing at all.
    for (const block of blocks) void new X509Certificate(block);
    if (blocks.length > 0) return `${blocks.join('\n')}\n`;
  } catch (error) {
    cause = error;
  }
  throw configInvalid(
    'The trust list must be a readable PEM file with the certificates of trusted authorities.',
    { cause },
  );
}

export const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

// Converts crJSON into our own type of manifest. Every member is untrusted; a missing one is skipped, not an error.

export type Manifest = ReturnType<typeof toManifest>;

/** Limits against malicious manifest stores. */
const maxManifests = 100;
const maxActions = 200;

/** The active manifest, followed by those of its ingredients. */
export function manifestsIn(crJson: unknown): readonly Manifest[] {
  return asList(asMembers(crJson)['manifests'])
    .slice(0, maxManifests)
    .map((manifest) => toManifest(asMembers(manifest)));
}

function toManifest(manifest: Members) {
  const signature = asMembers(manifest['signature']);
  const certificate = asMembers(signature['certificateInfo']);
  const { notBefore, notAfter } = asMembers(certificate['validity']);
  const [from, to] = [textIn(notBefore), textIn(notAfter)];
  const stamp = asMembers(signature['timeStampInfo']);
  const results = asMembers(manifest['validationResults']);
  const claim = asMembers(manifest['claim.v2'] ?? manifest['claim']);
  // In version 1 of a claim, a string with a separate list; in version 2, an object.
  const generator = claim['claim_generator_info'];
  const product = productName(Array.isArray(generator) ? generator[0] : generator);
  const assertions = Object.entries(asMembers(manifest['assertions']));
  return {
    label: textIn(manifest['label']) ?? '',
    isUpdate: manifest['isUpdateManifest'] === true,
    signer: subjectName(certificate['subject']),
    issuer: subjectName(certificate['issuer']),
    signedAt: textIn(stamp['timestamp']),
    // The time-stamp authority, and the validity period of the signer's certificate.
    authority: subjectName(asMembers(stamp['certificateInfo'])['subject']),
    validity: from === null || to === null ? null : { from, to },
    claimGenerator: product ?? textIn(claim['claim_generator']),
    actions: assertions.flatMap(([label, data]) => actionsIn(label, data)).slice(0, maxActions),
    ingredients: assertions.flatMap(([label, data]) => ingredientIn(label, data) ?? []),
    identities: assertions.flatMap(([label, data]) =>
      identitiesIn(label, asMembers(data), results),
    ),
    // C2PA validation status codes.
    successes: codesIn(results['success']),
    failures: codesIn(results['failure']),
  };
}

/** The common name in an X.509 name, with the organisation if that adds information. */
function subjectName(name: unknown): string | null {
  const { CN, O } = asMembers(name);
  const common = textIn(CN);
  const organisation = textIn(O);
  if (common === null || organisation === null || common === organisation) {
    return common ?? organisation;
  }
  return `${common} (${organisation})`;
}

/** An object `{name, version}`, or a string. */
function productName(value: unknown): string | null {
  const { name, version } = asMembers(value);
  if (textIn(name) === null) return textIn(value);
  return [textIn(name), textIn(version)].filter((part) => part !== null).join(' ');
}

/** Reads `c2pa.actions` and `c2pa.actions.v2`; if there are several, they have a numeric suffix. */
function actionsIn(label: string, data: unknown): readonly CredentialAction[] {
  if (!/^c2pa\.actions(?:\.v\d+)?(?:__\d+)?$/.test(label)) return [];
  return asList(asMembers(data)['actions']).slice(0, maxActions).map(toAction);
}

function toAction(value: unknown): CredentialAction {
  const action = asMembers(value);
  const type = action['digitalSourceType'] ?? asMembers(action['parameters'])['digitalSourceType'];
  return {
    action: textIn(action['action']) ?? '',
    software: productName(action['softwareAgent']),
    when: textIn(action['when']),
    digitalSourceType: textIn(type),
  };
}

/** Its relation, and the label of its own manifest; null if it has none. */
function ingredientIn(label: string, data: unknown) {
  if (!/^c2pa\.ingredient(?:\.v\d+)?(?:__\d+)?$/.test(label)) return null;
  const ingredient = asMembers(data);
  const relations = ['parentOf', 'componentOf', 'inputTo'] as const;
  const relation = relations.find((known) => known === ingredient['relationship']);
  if (relation === undefined) return null;
  const reference = asMembers(ingredient['activeManifest'] ?? ingredient['c2pa_manifest']);
  const url = textIn(reference['url']);
  return { relation, label: /\/c2pa\/([^/]+)$/.exec(url ?? '')?.[1] ?? null };
}

/** An X.509 certificate contains one identity; a service (`verifiedIdentities`) states one or more. */
function identitiesIn(label: string, { signature: signed }: Members, results: Members) {
  if (!/^cawg\.identity(?:__\d+)?$/.test(label)) return [];
  const signature = asMembers(signed);
  const certificate = asMembers(signature['certificateInfo']);
  const state = stateOfIdentity(label, results);
  const issuer = subjectName(certificate['issuer']) ?? textIn(signature['issuer']);
  const verified = asList(signature['verifiedIdentities']).slice(0, maxIdentities).map(asMembers);
  if (verified.length === 0) {
    return [{ name: subjectName(certificate['subject']), provider: issuer, state }];
  }
  return verified.map(({ name, username, uri, provider }) => ({
    name: textIn(name) ?? textIn(username) ?? textIn(uri),
    provider: textIn(asMembers(provider)['name']) ?? issuer,
    state,
  }));
}

const maxIdentities = 20;

/** Derives the state of this assertion from the status codes of CAWG Identity Assertion 1.1, sections 7 and 8. */
function stateOfIdentity(label: string, results: Members): CredentialIdentity['state'] {
  const codes = (kind: string) => codesIn(results[kind], `/${label}`);
  const [successes, failures] = [codes('success'), codes('failure')];
  const unverifiedIssuer = /^cawg\.(?:x509\.credential\.untrusted|ica\.untrusted_issuer)$/;
  if (failures.includes('cawg.ica.did_unavailable')) return 'not-verified';
  if (failures.some((code) => !unverifiedIssuer.test(code))) return 'broken';
  const verified = /^cawg\.(?:x509\.signature\.validated|ica\.credential_valid)$/;
  if (!successes.some((code) => verified.test(code))) return 'not-verified';
  return successes.includes('cawg.x509.credential.trusted') ? 'trusted' : 'signed';
}

/** @param where - how the URI that a status refers to must end. */
function codesIn(statuses: unknown, where = ''): readonly string[] {
  return asList(statuses)
    .map(asMembers)
    .filter(({ url }) => where === '' || textIn(url)?.endsWith(where))
    .flatMap(({ code }) => textIn(code) ?? []);
}
