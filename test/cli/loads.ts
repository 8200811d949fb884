/** Preloaded with `node --import`: writes the URL of each module that the program loads to the file `LOADED`. */

import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const { LOADED: file = '' } = process.env;

registerHooks({
  load(url, context, next) {
    appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
