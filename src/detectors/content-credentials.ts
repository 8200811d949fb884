/**
 * Reports what signed content credentials declare. Integrity and trust are separate facts: a valid signature shows that
 * the file is unchanged, a trusted signer shows who made the declaration. A declaration with an invalid signature is
 * left to `declared-origin`.
 */

import type { ContentCredentials, Declaration } from '../provenance/provenance.ts';
import {
  type Detector,
  type Finding,
  noWeight,
  type Skipped,
  strengthOfAssurance,
  type Weight,
  conventionalWeight,
} from './detector.ts';
import type { CredentialVouching, FindingStatement } from './statements.ts';

export const contentCredentials: Detector<Finding | Skipped> = {
  method: 'content-credentials',
  examine: ({ provenance: { credentials, declarations } }) => {
    if (credentials === null)
      return { method: contentCredentials.method, reason: 'no_credentials' };
    const declared = declarations.filter(
      ({ place, assurance }) => place === 'c2pa' && assurance !== 'unsigned',
    );
    return toFinding(credentials, declared);
  },
};

function toFinding(credentials: ContentCredentials, declared: readonly Declaration[]): Finding {
  const { integrity, trust, manifests, actions } = credentials;
  // Both may be declared, one for the whole and one for a part; generated content takes precedence.
  const mainDeclaration = declared.find(({ origin }) => origin !== 'captured') ?? declared[0];
  return {
    method: contentCredentials.method,
    ...(integrity === 'valid' && mainDeclaration !== undefined
      ? weigh(mainDeclaration, credentials)
      : noWeight),
    statement: toStatement(credentials, mainDeclaration),
    measures: {
      isValid: integrity === 'valid' ? 1 : 0,
      isTrusted: trust === 'trusted' ? 1 : 0,
      manifests,
      actions: actions.length,
    },
    source: 'C2PA Technical Specification 2.3; IPTC NewsCodes, Digital Source Type.',
  };
}

/** A trusted capture is never more than moderate evidence, because a camera can also photograph a screen or a print. */
function weigh({ origin, assurance }: Declaration, credentials: ContentCredentials): Weight {
  if (origin !== 'captured') return conventionalWeight('fake', strengthOfAssurance[assurance]);
  const isUntouched = assurance === 'trusted' && firstEdit(credentials) === null;
  return isUntouched ? conventionalWeight('real', 'moderate') : noWeight;
}

/** C2PA actions that do not alter what a picture shows. */
const harmlessActions: ReadonlySet<string> = new Set(
  [
    ['created', 'opened', 'converted', 'repackaged', 'transcoded', 'published'],
    ['adjustedColor', 'color_adjustments', 'cropped', 'resized', 'resized.proportional'],
    ['orientation', 'edited.metadata', 'watermarked', 'watermarked.bound', 'watermarked.unbound'],
  ]
    .flat()
    .map((name) => `c2pa.${name}`),
);

/** The first action that may have altered what the picture shows; null if there is none. */
function firstEdit({ actions }: ContentCredentials): string | null {
  return actions.find(({ action }) => !harmlessActions.has(action))?.action ?? null;
}

function toStatement(
  credentials: ContentCredentials,
  mainDeclaration: Declaration | undefined,
): FindingStatement {
  const { integrity, signer } = credentials;
  if (integrity === 'unreadable') return { code: 'credentials_unreadable', values: {} };
  if (integrity === 'broken') return { code: 'credentials_broken', values: { signer } };
  if (mainDeclaration === undefined)
    return { code: 'credentials_without_origin', values: { signer } };
  const { origin, generator } = mainDeclaration;
  const vouching = describeVouching(credentials, mainDeclaration);
  return { code: 'credentials_declare_origin', values: { signer, origin, generator, vouching } };
}

/** The signer meant may have signed an earlier part of the history. */
function describeVouching(
  credentials: ContentCredentials,
  { origin, assurance }: Declaration,
): CredentialVouching {
  if (assurance !== 'trusted') {
    return { by: credentials.trust === 'not-checked' ? 'no_trust_list' : 'unlisted_signer' };
  }
  if (origin !== 'captured') return { by: 'trusted_signer' };
  const edit = firstEdit(credentials);
  return edit === null ? { by: 'trusted_capture' } : { by: 'edited_capture', edit };
}
