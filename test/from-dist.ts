/** Preloaded with `node --import`: what a script of the tests imports from `src`, it gets from `dist`. */

import { registerHooks } from 'node:module';

const [sources, built] = ['../src/', '../dist/'].map(
  (folder) => new URL(folder, import.meta.url).href,
);

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (!found.url.startsWith(sources!) || !found.url.endsWith('.ts')) return found;
    const url = built + found.url.slice(sources!.length, -2) + 'js';
    return { ...found, url, format: 'module' };
  },
});
