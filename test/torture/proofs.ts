import { proveKills } from './kills.ts';
import type { Proof } from './proof.ts';

/** By the name that `--only` takes. */
export const proofs = {
  kills: proveKills,
} satisfies Readonly<Record<string, (proof: Proof) => Promise<void>>>;

export type ProofName = keyof typeof proofs;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of this very object.
export const proofNames = Object.keys(proofs) as readonly ProofName[];

export function isProofName(name: string): name is ProofName {
  return name in proofs;
}
