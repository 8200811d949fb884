#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

// Checked before anything else is loaded: an older Node.js would stop in the middle of a dependency with a riddle.
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `forensics: this is Node.js ${process.versions.node}; install Node.js 22.18 or newer.\n`,
  );
  process.exitCode = 1;
} else {
  await takeGathered();
  const { main } = await import('../dist/cli/main.js');
  process.exitCode = await main(process.argv);
}

/** Packages that the build gathered in a few files (`gather.js`) are loaded from there. */
async function takeGathered() {
  const [{ existsSync }, { registerHooks }] = await Promise.all([
    import('node:fs'),
    import('node:module'),
  ]);
  const packages = /^(@peculiar\/x509|drizzle-orm|typebox)(\/|$)/;
  registerHooks({
    resolve(specifier, context, next) {
      const url = new URL(`../dist/gathered/${specifier}.js`, import.meta.url);
      if (!packages.test(specifier) || !existsSync(url)) return next(specifier, context);
      return { url: url.href, format: 'module', shortCircuit: true };
    },
  });
}
