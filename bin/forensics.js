#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

// Checked before anything else is loaded: an older Node.js would stop in the middle of a dependency with a riddle.
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `forensics: this is Node.js ${process.versions.node}; install Node.js 22.18 or newer.\n`,
  );
  process.exitCode = 1;
} else {
  await resolveQuickly('drizzle-orm');
  const { main } = await import('../dist/cli/main.js');
  process.exitCode = await main(process.argv);
}

/**
 * Node.js reads the package.json of a package for each of its files, to know their format. That of the query builder is 180 kB
 * long: a quarter of the start of a server. Its files import each other by whole relative names, all of one format.
 */
async function resolveQuickly(name) {
  const { registerHooks } = await import('node:module');
  registerHooks({
    resolve(specifier, context, next) {
      const isInside = specifier.startsWith('.') && specifier.endsWith('.js');
      if (!isInside || !context.parentURL?.includes(`/node_modules/${name}/`)) {
        return next(specifier, context);
      }
      const { href } = new URL(specifier, context.parentURL);
      return { url: href, format: 'module', shortCircuit: true };
    },
  });
}
