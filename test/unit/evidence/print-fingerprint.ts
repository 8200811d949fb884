/** Run in its own process: opens the signing keys of a data folder and prints the fingerprint of the current one. */

import { createSigningKeys, keysInFolder } from '../../../src/evidence/sign.ts';

const keys = createSigningKeys(keysInFolder(process.argv[2]!), () => new Date());
process.stdout.write((await keys.signer()).fingerprint);
