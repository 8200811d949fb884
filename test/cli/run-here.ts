import { vi } from 'vitest';
import { main } from '../../src/cli/main.ts';

/** A command in this process: a dozen of new ones would cost more than everything they do. */
export async function runHere(args: readonly string[]) {
  const said = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text);
      return true;
    }),
  );
  const code = await main(['node', 'forensics', ...args]);
  // What a command chose is this process's own exit code too.
  process.exitCode = undefined;
  for (const spy of spies) spy.mockRestore();
  return { code, ...said };
}
