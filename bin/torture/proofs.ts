import type { Proof } from './proof.ts';

/** By the name that `--only` takes. Each is loaded when it is wanted. */
export const proofs = {
  kills: async (proof: Proof) => (await import('./kills.ts')).proveKills(proof),
  machines: async (proof: Proof) => (await import('./machines.ts')).proveMachines(proof),
  pictures: async (proof: Proof) => (await import('./pictures.ts')).provePictures(proof),
  formats: async (proof: Proof) => (await import('./formats.ts')).proveFormats(proof),
  callers: async (proof: Proof) => (await import('./callers.ts')).proveCallers(proof),
  load: async (proof: Proof) => (await import('./load.ts')).proveLoad(proof),
  disk: async (proof: Proof) => (await import('./disk.ts')).proveDisk(proof),
  clock: async (proof: Proof) => (await import('./clock.ts')).proveClock(proof),
  determinism: async (proof: Proof) => (await import('./determinism.ts')).proveDeterminism(proof),
} satisfies Readonly<Record<string, (proof: Proof) => Promise<void>>>;

export type ProofName = keyof typeof proofs;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of this very object.
export const proofNames = Object.keys(proofs) as readonly ProofName[];

export function isProofName(name: string): name is ProofName {
  return name in proofs;
}
