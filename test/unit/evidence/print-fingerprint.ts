/** Run as a process of its own: opens the signing keys of a data folder and prints the fingerprint of the one in use. */

import { createSigningKeys, keysInFolder } from '../../../src/evidence/signing-keys.ts';

const keys = createSigningKeys(keysInFolder(process.argv[2]!), () => new Date());
process.stdout.write((await keys.signer()).fingerprint);
