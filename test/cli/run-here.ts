import { type Ran, runCli } from './run-cli.ts';

/** A command in this process, with this process's own environment. */
export function runHere(args: readonly string[]): Promise<Ran> {
  return runCli(args, { env: process.env });
}
