/** Run as a process of its own: opens the signing keys of a data folder and prints the fingerprint of the one in use. */

import { createSigningKeys } from '../../../src/secrets/signing-keys.ts';

const keys = createSigningKeys({ dataDir: process.argv[2]!, now: () => new Date() });
process.stdout.write(keys.signer().fingerprint);
