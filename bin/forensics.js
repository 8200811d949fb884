#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

// Checked before anything else is loaded: an older Node.js would stop in the middle of a dependency with a riddle.
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `forensics: this is Node.js ${process.versions.node}; install Node.js 22.18 or newer.\n`,
  );
  process.exitCode = 1;
} else {
  await resolveQuickly(['drizzle-orm', 'typebox']);
  const { main } = await import('../dist/cli/main.js');
  process.exitCode = await main(process.argv);
}

/**
 * Node.js looks for the package.json above each file, to know its format: half of what loading the hundreds of files of these
 * two packages takes. Their files import each other by whole relative names, all of one format.
 */
async function resolveQuickly(names) {
  const { registerHooks } = await import('node:module');
  const inside = names.map((name) => `/node_modules/${name}/`);
  registerHooks({
    resolve(specifier, context, next) {
      const parent = context.parentURL ?? '';
      const isInside =
        specifier.startsWith('.') && inside.some((folder) => parent.includes(folder));
      if (!isInside || !/\.m?js$/.test(specifier)) return next(specifier, context);
      const { href } = new URL(specifier, parent);
      return { url: href, format: 'module', shortCircuit: true };
    },
  });
}
