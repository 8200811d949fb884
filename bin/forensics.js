#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

// Checked before anything else is loaded: an older Node.js would fail inside a dependency with a
// cryptic error.
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `forensics: this is Node.js ${process.versions.node}; install Node.js 22.18 or newer from https://nodejs.org.\n`,
  );
  process.exitCode = 1;
} else {
  const { main } = await import('../dist/cli/main.js');
  process.exitCode = await main(process.argv);
}
