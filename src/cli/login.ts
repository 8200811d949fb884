/** `forensics login`: proves to a server who asks, and keeps the proof under a name. */

import type { Command } from 'commander';
import type { LoginOptions } from './login/run.ts';
import { named } from './option-values.ts';
import { withServerOptions } from './service-options.ts';

export function registerLogin(program: Command): void {
  withServerOptions(
    program.command('login').description('Log in to a server and keep the login as a profile.'),
  )
    .option('--tenant <name>', 'the tenant that commands mean when they name none', named)
    .option('--email <address>', 'who logs in, where the server keeps the accounts', named)
    .option('--password-stdin', 'read the password from standard input', false)
    .option('--scope <words>', 'what an identity provider is asked for', defaultScope)
    .option('--audience <name>', 'what it is to make the access token for', named)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
A server that keeps the accounts itself is told address and password. One that leaves them to an identity provider
(OpenID Connect) sends you there: open the address that is shown, on any device, and type the code. With --api-key-file a
key is kept instead, and --tenant says whose it is. Nothing is kept before the server took it.

A server that has a certificate of its own authority is known by --ca FILE, or by --fingerprint with the SHA-256 that
"forensics serve" tells at its first start. The profile remembers it. Its name is --profile, or else the host.
An identity provider's certificate is checked against the authorities of the system, and against --ca.

Examples:
  $ forensics login --url https://forensics.example:8443 --fingerprint 9B:60:...:A1 --profile lab
  $ forensics login --profile lab
  $ forensics login --url https://forensics.example --api-key-file ci.key --tenant acme --profile ci
  $ forensics analyze *.jpg --profile lab --tenant acme`,
    )
    .action(async (_own: unknown, command: Command) => {
      const { login } = await import('./login/run.ts');
      await login(command.optsWithGlobals<LoginOptions>());
    });
}

// What OpenID Connect Core 1.0 knows; offline_access is what makes most providers give a refresh token.
const defaultScope = 'openid email profile offline_access';
