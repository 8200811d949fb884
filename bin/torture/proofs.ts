import { proveCallers } from './callers.ts';
import { proveClock } from './clock.ts';
import { proveDeterminism } from './determinism.ts';
import { proveDisk } from './disk.ts';
import { proveFormats } from './formats.ts';
import { proveKills } from './kills.ts';
import { proveLoad } from './load.ts';
import { proveMachines } from './machines.ts';
import { provePictures } from './pictures.ts';
import type { Proof } from './proof.ts';

/** By the name that `--only` takes. */
export const proofs = {
  kills: proveKills,
  machines: proveMachines,
  pictures: provePictures,
  formats: proveFormats,
  callers: proveCallers,
  load: proveLoad,
  disk: proveDisk,
  clock: proveClock,
  determinism: proveDeterminism,
} satisfies Readonly<Record<string, (proof: Proof) => Promise<void>>>;

export type ProofName = keyof typeof proofs;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of this very object.
export const proofNames = Object.keys(proofs) as readonly ProofName[];

export function isProofName(name: string): name is ProofName {
  return name in proofs;
}
