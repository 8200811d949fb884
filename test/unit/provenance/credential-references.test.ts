/** References to content credentials in a file, and whether the credentials are really there. */

import { expect, test } from 'vitest';
import { createAuthority, withCredentials } from '../../fixtures/content-credentials.ts';
import { jpegSegment, withSegments } from '../../fixtures/jpeg-segments.ts';
import { pngChunk, withChunks } from '../../fixtures/png-chunks.ts';
import { xmpPacket, xmpSegment } from '../../fixtures/xmp.ts';
import { jpeg, png, provenanceOf, withXmp } from './files.ts';

const signer = await (await createAuthority('Authority of Tests')).issue('Signer of Tests');
const actions = [{ action: 'c2pa.created' }];
const namespace = { 'xmlns:dcterms': 'http://purl.org/dc/terms/' };
const inside = 'self#jumbf=/c2pa/urn:uuid:00000000-0000-4000-8000-000000000000';

function referringTo(text: string): string {
  return xmpPacket(namespace, `<dcterms:provenance>${text}</dcterms:provenance>`);
}

function pngWith(packet: string): Buffer {
  return withChunks(png, pngChunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${packet}`)));
}

async function codesOf(file: Buffer): Promise<readonly unknown[]> {
  return (await provenanceOf(file)).warnings.map((one) => Object(one).code);
}

test.each([
  ['a JPEG', withXmp(referringTo(inside))],
  ['a PNG', pngWith(referringTo(inside))],
  ['an attribute', withXmp(xmpPacket({ ...namespace, 'dcterms:provenance': 'self#jumbf=c2pa' }))],
])('credentials removed from %s are reported', async (_, file) => {
  expect(await codesOf(file)).toEqual(['credentials_removed']);
});

test('embedded credentials cause no warning', async () => {
  const file = await withCredentials(withXmp(referringTo(inside)), { signer, actions });

  const { credentials, warnings } = await provenanceOf(file);

  expect(credentials?.integrity).toBe('valid');
  expect(warnings).toEqual([]);
});

test('unreadable metadata is reported, truncated metadata is not', async () => {
  const broken = jpegSegment(0xe1, 'Exif\0\0zzzzzzzzzzzz');
  const long = xmpSegment(referringTo('x'.repeat(9000)));

  expect(await codesOf(withSegments(jpeg, broken, long))).toEqual([
    'block_unreadable',
    'credentials_elsewhere',
  ]);
});

test('credentials on a server are kept elsewhere', async () => {
  const file = withXmp(referringTo('https://cai.example/manifests/1'));

  expect(await codesOf(file)).toEqual(['credentials_elsewhere']);
});
