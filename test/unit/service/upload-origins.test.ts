import { expect, test } from 'vitest';
import { uploadOrigins } from '../../../src/service/storage.ts';

const bare = {
  corsAllowedOrigins: [],
  publicUrl: null,
  behindProxy: false,
  host: '127.0.0.1',
  port: 8443,
};

const publicUrl = 'https://forensics.example';
const app = 'https://app.example';

test.each([
  ['on this machine', {}, ['https://127.0.0.1:8443', 'https://localhost:8443']],
  [
    'with a public URL and its own host',
    { publicUrl, host: 'lab.example', port: 443 },
    [publicUrl, 'https://lab.example', 'https://localhost', 'https://127.0.0.1'],
  ],
  ['at every address', { host: '::' }, ['https://localhost:8443', 'https://127.0.0.1:8443']],
  ['behind a proxy', { behindProxy: true, publicUrl }, [publicUrl]],
  ['with configured origins', { publicUrl, corsAllowedOrigins: [app] }, [app]],
])('a server %s allows uploads from the right origins', (_what, given, origins) => {
  expect(uploadOrigins({ ...bare, ...given })).toEqual(origins);
});
