/** `forensics doctor`: whether everything that the service needs is there and works, and what to do where not. */

import { type Command, Option } from 'commander';
import type { DoctorOptions } from './doctor/run.ts';
import { withServerOptions } from './service-options.ts';

export function registerDoctor(program: Command): void {
  const doctor = program
    .command('doctor')
    .description('Check what the service needs, and tell how to mend what is wrong.')
    .addOption(
      new Option('--airgap', 'prove that nothing leaves this machine')
        .conflicts(['url', 'profile', 'tenant', 'send', 'quick'])
        .default(false),
    )
    .option('--quick', 'leave out the self-test, which examines two pictures', false)
    .addOption(
      new Option('--send', 'also send a message of trial to the webhook of each tenant')
        .conflicts(['url', 'profile'])
        .default(false),
    )
    .option('--tenant <name>', 'this tenant alone (default: every tenant)')
    .option('--public-url <url>', 'where clients reach the server, when not at host and port')
    .option('--data-dir <dir>', 'the data folder')
    .option('--config <file>', 'the config file')
    .option('--json', 'print JSON', false);
  withServerOptions(doctor)
    .addHelpText(
      'after',
      `
Looks at the data folder of this machine or, with --url or --profile, at a server as it is seen from here. Writes, reads and
deletes small objects in the stores, and brings an older database up to date as every command does; changes nothing else.

With --airgap, a server is started in a folder that is thrown away, analyses a drawn picture and writes its report, while
every connection to another machine is caught and, where Linux lets it, no way leads out.

Examples:
  $ forensics doctor
  $ forensics doctor --tenant acme --json
  $ forensics doctor --url https://forensics.example:8443 --ca ca.pem --tenant acme
  $ forensics doctor --airgap

Exit codes: 0 nothing failed, 1 something did.`,
    )
    .action(async (_own: unknown, command: Command) => {
      const { runDoctor } = await import('./doctor/run.ts');
      await runDoctor(command.optsWithGlobals<DoctorOptions>());
    });
}
