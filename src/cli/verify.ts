/** `forensics verify`: whether an evidence bundle is as it was signed. Needs no server, no network and no data folder. */

import type { Command } from 'commander';
import { exitCodes } from '../errors.ts';
import { describeExpectedKey, type KeyOptions } from './verify/expected-key.ts';

interface VerifyCommandOptions extends KeyOptions {
  readonly json: boolean;
}

export function registerVerify(program: Command): void {
  describeExpectedKey(
    program
      .command('verify')
      .description('Check an evidence bundle: every byte, the signature, and whose it is.')
      .argument('<bundle>', 'the zip file that report or analyze wrote'),
  )
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
Without --key or --fingerprint anybody may have signed: the key comes with the bundle.

Examples:
  $ forensics verify evidence.zip --key examiner.pem
  $ forensics verify evidence.zip --json

Exit codes: 0 it holds, 1 this is no bundle, 4 no such file, 7 it does not hold.`,
    )
    .action(async (bundle: string, _own: unknown, command: Command) => {
      await verify(bundle, command.optsWithGlobals<VerifyCommandOptions>());
    });
}

async function verify(bundle: string, options: VerifyCommandOptions): Promise<void> {
  const { verifyBundle } = await import('../evidence/verify.ts');
  const { expectedKey } = await import('./verify/expected-key.ts');
  const { verificationCard } = await import('./verify/card.ts');
  const found = await verifyBundle(bundle, await expectedKey(options));
  const asJson = () => `${JSON.stringify(found, null, 2)}\n`;
  process.stdout.write(options.json ? asJson() : verificationCard(bundle, found));
  if (!found.holds) process.exitCode = exitCodes.integrityFailure;
}
