/** Whether the signature fits list and key, and whose the key is. */

import { publicKeyFile, signatureFile } from './layout.ts';
import { isSignedBy, type PublicKey, readPublicKey } from './signer.ts';
import { contentOf, type Taken } from './taken.ts';
import type { Problem, Verification } from './verification.ts';

export interface Signed {
  readonly problems: readonly Problem[];
  readonly key: Verification['key'];
}

/**
 * The key comes out of the archive: it proves that all is from one hand, and its fingerprint tells from whose.
 *
 * @param expected - fingerprint; null when nobody says.
 */
export function checkSignature(taken: Taken, expected: string | null): Signed {
  const signature = contentOf(taken, signatureFile);
  if (signature === null) return unsigned('missing', signatureFile, 'The signature is missing.');
  const key = keyInside(taken);
  if (key === null) return unsigned('changed', publicKeyFile, 'The public key cannot be read.');
  const { fingerprint } = key;
  const isValid = isSignedBy(key, { bytes: taken.manifestBytes, signature });
  if (!isValid || taken.manifest.key.fingerprint !== fingerprint) {
    return unsigned('signature', signatureFile, signatureFails);
  }
  const isExpected = expected === null ? null : expected === fingerprint;
  const problems = isExpected === false ? [otherKey(fingerprint)] : [];
  return { problems, key: { fingerprint, isExpected } };
}

const signatureFails =
  'The signature does not fit: the list of files, the signature or the key was changed after signing.';

function otherKey(fingerprint: string): Problem {
  const message = `Signed by another key than the expected one: its fingerprint is ${fingerprint}.`;
  return { kind: 'key', file: publicKeyFile, message };
}

function keyInside(taken: Taken): PublicKey | null {
  const bytes = contentOf(taken, publicKeyFile);
  return bytes === null ? null : readPublicKey(Buffer.from(bytes).toString('latin1'));
}

function unsigned(kind: Problem['kind'], file: string, message: string): Signed {
  return { problems: [{ kind, file, message }], key: null };
}
