/**
 * Reads the content credentials of a file: what its C2PA manifest store claims, whether that
 * matches the bytes of the file, and whether the administrator trusts the signer.
 *
 * @see C2PA Technical Specification 2.3, on validation, actions and ingredients.
 */

import { createHash, X509Certificate } from 'node:crypto';
import {
  type Assurance,
  assurances,
  type DeclaredOrigin,
  type Format,
  mediaTypes,
} from '../contract/vocabulary.ts';
import { type Manifest, manifestsIn, pemBlock, readCrJson } from './c2pa-reader.ts';
import {
  type ContentCredentials,
  type Declaration,
  originOfSourceType,
  type Provenance,
} from '../contract/provenance.ts';

/** @param trustList - PEM certificates, or null. Never throws, and never opens a connection. */
export async function readContentCredentials(
  bytes: Uint8Array,
  format: Format,
  trustList: string | null,
): Promise<Pick<Provenance, 'declarations'> & { readonly credentials: ContentCredentials }> {
  const mimeType = mediaTypes[format];
  const manifests = manifestsIn(await readCrJson({ bytes, mimeType, trustList }));
  const [active, ...others] = manifests;
  if (active === undefined) return { credentials: unreadable, declarations: [] };
  return {
    credentials: {
      integrity: isIntact(active, manifests) ? 'valid' : 'broken',
      trust: trustList === null ? 'not-checked' : isTrusted(active) ? 'trusted' : 'untrusted',
      trustListSha256:
        trustList === null ? null : createHash('sha256').update(trustList).digest('hex'),
      ...(trustList !== null && { trustListSince: newestIn(trustList) }),
      signer: active.signer,
      issuer: active.issuer,
      signedAt: active.signedAt,
      hasTimestamp: active.successes.includes('timeStamp.validated'),
      claimGenerator: active.claimGenerator,
      actions: manifests.toReversed().flatMap(({ actions }) => actions),
      manifests: manifests.length,
      problems: [...new Set(manifests.flatMap(({ failures }) => failures))].toSorted(),
      identities: manifests.flatMap(({ identities }) => identities),
      authority: active.authority,
      validity: active.validity,
      codes: [...new Set([...active.successes, ...active.failures])].toSorted(),
      ingredientProblems: [...new Set(others.flatMap(({ failures }) => failures))].toSorted(),
    },
    declarations: declarationsIn(active, manifests),
  };
}

const unreadable: ContentCredentials = {
  integrity: 'unreadable',
  trust: 'not-checked',
  trustListSha256: null,
  signer: null,
  issuer: null,
  signedAt: null,
  hasTimestamp: false,
  claimGenerator: null,
  actions: [],
  manifests: 0,
  problems: [],
  identities: [],
};

/** The date from which the list's newest certificate is valid: a list has no date, but cannot be older than this. */
function newestIn(trustList: string): string | null {
  const days = [...trustList.matchAll(pemBlock)].flatMap(([pem]) => {
    try {
      return new X509Certificate(pem).validFromDate.toISOString().slice(0, 10);
    } catch {
      // Callers of the library may pass any text.
      return [];
    }
  });
  return days.toSorted().at(-1) ?? null;
}

const hashMatch = /^assertion\.(?:data|boxes|collection|bmff)Hash\.match$/;

/** Failures that mean that the bytes differ from those that were signed. Others concern the signer or the format. */
const byteFailure =
  /^(?:claim\.|claimSignature\.(?:mismatch|missing)|hashedURI\.|general\.|manifest\.inaccessible|assertion\.(?:(?:hashedURI|dataHash|boxesHash|collectionHash|bmffHash)\.|(?:required\.)?missing|inaccessible|undeclared|outsideManifest))/;

/** For the hash of the picture, an update manifest relies on the previous manifest. */
function isIntact(active: Manifest, manifests: readonly Manifest[]): boolean {
  const bound = active.isUpdate ? manifests : [active];
  return (
    isSigned(active) &&
    bound.some(({ successes }) => successes.some((code) => hashMatch.test(code)))
  );
}

function isSigned({ successes, failures }: Manifest): boolean {
  const isBroken = failures.some((code) => byteFailure.test(code));
  return successes.includes('claimSignature.validated') && !isBroken;
}

function isTrusted({ successes, failures }: Manifest): boolean {
  const isRefused = failures.some((code) => code.startsWith('signingCredential.'));
  return successes.includes('signingCredential.trusted') && !isRefused;
}

/** How a manifest relates to the picture: it is the history of the whole, or of a part pasted into it. */
type Role = 'whole' | 'part';

/**
 * Collects declarations from the active manifest and, going back, from its ingredients. The weakest signature on the
 * path to a declaration determines its weight, because anyone can sign that a picture descends from a trusted one.
 */
function declarationsIn(active: Manifest, manifests: readonly Manifest[]): readonly Declaration[] {
  const byLabel = new Map(manifests.map((manifest) => [manifest.label, manifest]));
  const visited = new Set<Manifest>();
  const found: Declaration[] = [];
  const visit = (manifest: Manifest, role: Role, limit: Assurance): void => {
    if (visited.has(manifest)) return;
    visited.add(manifest);
    const own = isTrusted(manifest) ? 'trusted' : 'signed';
    const stated: Assurance = isSigned(manifest) ? own : 'unsigned';
    const ranks = [limit, stated].map((each) => assurances.indexOf(each));
    const assurance = assurances[Math.min(...ranks)]!;
    found.push(...declaredBy(manifest, role, assurance));
    for (const { relation, label } of manifest.ingredients) {
      const past = label === null ? undefined : byLabel.get(label);
      // What a generator was given as input is not its output.
      if (past === undefined || relation === 'inputTo') continue;
      visit(past, relation === 'componentOf' ? 'part' : role, assurance);
    }
  };
  visit(active, 'whole', isIntact(active, manifests) ? 'trusted' : 'unsigned');
  return found;
}

function declaredBy(manifest: Manifest, role: Role, assurance: Assurance): readonly Declaration[] {
  return manifest.actions.flatMap(({ action, software, digitalSourceType }) => {
    const origin = declaredOrigin(originOfSourceType(digitalSourceType), action, role);
    if (origin === null || digitalSourceType === null) return [];
    const { claimGenerator } = manifest;
    // The library only writes the entry; it does not make the picture.
    const named =
      software ?? (/^c2pa|\b(?:library|sdk)\b/i.test(claimGenerator ?? '') ? null : claimGenerator);
    const generator = origin === 'captured' ? null : named;
    return { origin, place: 'c2pa', field: action, value: digitalSourceType, generator, assurance };
  });
}

/** Creation determines the origin of the whole; generated content added later, or in a part, makes it manipulated. */
function declaredOrigin(
  origin: DeclaredOrigin | null,
  action: string,
  role: Role,
): DeclaredOrigin | null {
  if (action === 'c2pa.created' && role === 'whole') return origin;
  return origin === 'ai-generated' || origin === 'ai-manipulated' ? 'ai-manipulated' : null;
}
