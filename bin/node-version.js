/**
 * Refuses a Node.js that is too old for `npm ci` in the checkout: `node bin/node-version.js`. Under it, npm leaves out the
 * native parts of the packages that build the program. Runs before `npm ci`, and once more after it, where the Node.js 24
 * of the checkout runs it: an npm older than 10.9 does not know `devEngines`.
 */

const [, version = process.versions.node] =
  /node\/v(\S+)/.exec(process.env.npm_config_user_agent) ?? [];
const [major, minor] = version.split('.').map(Number);
const oldest = { 20: 19, 22: 12 }[major] ?? 0;
if (major < 20 || major === 21 || minor < oldest) {
  process.stderr.write(
    `forensics: this is Node.js ${version}; install Node.js 24 (or at least 20.19 or 22.12) from https://nodejs.org, then run "npm ci" again.\n`,
  );
  process.exitCode = 1;
}
