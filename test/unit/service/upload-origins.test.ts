import { expect, test } from 'vitest';
import { uploadOrigins } from '../../../src/service/storage.ts';

const bare = {
  corsAllowedOrigins: [],
  publicUrl: null,
  behindProxy: false,
  host: '127.0.0.1',
  port: 8443,
};

test.each([
  ['on this machine', {}, ['https://127.0.0.1:8443', 'https://localhost:8443']],
  [
    'with a public URL and its own host',
    { publicUrl: 'https://forensics.example', host: 'lab.example', port: 443 },
    ['https://forensics.example', 'https://lab.example', 'https://localhost', 'https://127.0.0.1'],
  ],
  ['at every address', { host: '::' }, ['https://localhost:8443', 'https://127.0.0.1:8443']],
  [
    'behind a proxy',
    { behindProxy: true, publicUrl: 'https://forensics.example' },
    ['https://forensics.example'],
  ],
  [
    'with configured origins',
    { publicUrl: 'https://forensics.example', corsAllowedOrigins: ['https://app.example'] },
    ['https://app.example'],
  ],
])('a server %s allows uploads from the right origins', (_what, given, origins) => {
  expect(uploadOrigins({ ...bare, ...given })).toEqual(origins);
});
