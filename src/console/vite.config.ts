import { defineConfig } from 'vite';

const here = new URL('.', import.meta.url).pathname;

/** The console as files that the server sends as they are: named by their content, nothing inlined, nothing from elsewhere. */
export default defineConfig({
  root: here,
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    assetsDir: '',
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  logLevel: 'warn',
});
