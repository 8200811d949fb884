import { type Ran, runCli } from './run-cli.ts';

/** Runs a command in this process with the test's environment. */
export function runHere(args: readonly string[]): Promise<Ran> {
  return runCli(args, { env: process.env });
}
