import { expect, test } from 'vitest';
import { jpegSegment, withSegments } from '../../fixtures/jpeg-segments.ts';
import { xmpPacket } from '../../fixtures/xmp.ts';
import { jpeg, provenanceOf, withExif, withIptc, withTexts, withXmp } from './files.ts';

async function softwareOf(file: Buffer) {
  return (await provenanceOf(file)).software;
}

test('a file without names gives none', async () => {
  expect(await softwareOf(jpeg)).toEqual([]);
});

test('a camera is named by maker and model, with its firmware', async () => {
  const file = withExif({ primary: { 0x010f: 'Acme', 0x0110: 'Snap 1', 0x0131: '17.5.1' } });

  expect(await softwareOf(file)).toEqual([
    { kind: 'camera', name: 'Acme Snap 1', place: 'exif' },
    { kind: 'firmware', name: '17.5.1', place: 'exif' },
  ]);
});

test.each([
  ['Apple', 'iPhone 15 Pro', '17.5.1', 'iOS 17.5.1'],
  ['Apple', 'iPhone 15 Pro', '18', 'iOS 18'],
  ['Apple', 'iPad Pro', '16.1', 'iPadOS 16.1'],
  ['samsung', 'SM-G991B', 'G991BXXS5CVGB', 'G991BXXS5CVGB'],
  ['NIKON CORPORATION', 'NIKON D750', 'Ver.1.10 ', 'Ver.1.10'],
  ['SONY', 'ILCE-7M3', 'ILCE-7M3 v3.10', 'ILCE-7M3 v3.10'],
  ['Canon', 'Canon EOS R6', 'Firmware Version 1.8.1', 'Firmware Version 1.8.1'],
  ['Google', 'Pixel 6', 'HDR+ 1.0.585804401zd', 'HDR+ 1.0.585804401zd'],
])('the software of %s %s is its firmware', async (make, model, software, name) => {
  const file = withExif({ primary: { 0x010f: make, 0x0110: model, 0x0131: software } });

  expect(await softwareOf(file)).toContainEqual({ kind: 'firmware', name, place: 'exif' });
});

test("a model that starts with its maker's brand is not named twice", async () => {
  const file = withExif({ primary: { 0x010f: 'NIKON CORPORATION', 0x0110: 'NIKON D800' } });

  expect(await softwareOf(file)).toEqual([{ kind: 'camera', name: 'NIKON D800', place: 'exif' }]);
});

test('a program unrelated to the camera stays of unknown kind', async () => {
  const file = withExif({ primary: { 0x010f: 'Apple', 0x0110: 'iPhone 15', 0x0131: 'Painter 9' } });

  expect(await softwareOf(file)).toContainEqual({
    kind: 'unknown',
    name: 'Painter 9',
    place: 'exif',
  });
});

test('programs in the XMP history are named, and recognised as editors', async () => {
  const steps =
    '<rdf:li stEvt:changed="/" stEvt:action="saved" stEvt:softwareAgent="Adobe Photoshop Camera Raw 8.6"/>';
  const packet = xmpPacket(
    { 'xmlns:xmpMM': 'http://ns.adobe.com/xap/1.0/mm/', 'xmlns:stEvt': 'e' },
    `<xmpMM:History><rdf:Seq>${steps}</rdf:Seq></xmpMM:History>`,
  );

  expect(await softwareOf(withXmp(packet))).toEqual([
    { kind: 'editor', name: 'Adobe Photoshop Camera Raw 8.6', place: 'xmp' },
  ]);
});

test.each([
  'Adobe Photoshop 25.4 (Windows)',
  'Adobe Lightroom Classic 13.2',
  'GIMP 2.10.36',
  'Snapseed 2.0',
  'Capture One 23 Macintosh',
  'darktable 4.6.1',
])('%s is an editing program', async (name) => {
  const file = withExif({ primary: { 0x0131: name } });

  expect(await softwareOf(file)).toEqual([{ kind: 'editor', name, place: 'exif' }]);
});

test('a program named in two places is named once', async () => {
  const file = withTexts({ Software: 'Painter 9' });
  const twice = withXmp(xmpPacket({ 'xmp:CreatorTool': 'Painter 9' }));

  expect(await softwareOf(file)).toEqual([
    { kind: 'unknown', name: 'Painter 9', place: 'png-text' },
  ]);
  expect(await softwareOf(twice)).toEqual([{ kind: 'unknown', name: 'Painter 9', place: 'xmp' }]);
});

test('a generator is named even if its name alone declares nothing', async () => {
  const file = withTexts({ Software: 'ComfyUI' });

  expect(await softwareOf(file)).toEqual([
    { kind: 'generator', name: 'ComfyUI', place: 'png-text' },
  ]);
});

test('Facebook’s mark in the instructions names the platform; other instructions do not', async () => {
  const facebook = withIptc([[40, 'FBMD01000a9d0d0000ab']]);
  const editor = withIptc([[40, 'FBMD is on holiday, use the small crop']]);

  expect(await softwareOf(facebook)).toMatchObject([{ kind: 'platform' }]);
  expect(await softwareOf(editor)).toEqual([]);
});

test('Photoshop’s export for the web is recognised by its own segment', async () => {
  const file = withSegments(
    jpeg,
    jpegSegment(0xec, Buffer.from('Ducky\0\x01\0\x04\0\0\0\x50\0\0')),
  );

  expect(await softwareOf(file)).toMatchObject([
    { kind: 'editor', name: 'Adobe Photoshop (Save for Web)' },
  ]);
});
