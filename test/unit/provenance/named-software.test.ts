import { expect, test } from 'vitest';
import { jpegSegment, withSegments } from '../../fixtures/jpeg-segments.ts';
import { xmpPacket } from '../../fixtures/xmp.ts';
import { jpeg, provenanceOf, withExif, withIptc, withTexts, withXmp } from './files.ts';

async function softwareOf(file: Buffer) {
  return (await provenanceOf(file)).software;
}

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

const steps =
  '<rdf:li stEvt:changed="/" stEvt:action="saved" stEvt:softwareAgent="Adobe Photoshop Camera Raw 8.6"/>';
const packet = xmpPacket(
  { 'xmlns:xmpMM': 'http://ns.adobe.com/xap/1.0/mm/', 'xmlns:stEvt': 'e' },
  `<xmpMM:History><rdf:Seq>${steps}</rdf:Seq></xmpMM:History>`,
);
const acme = { 0x010f: 'Acme', 0x0110: 'Snap 1', 0x0131: '17.5.1' };
const nikon = { 0x010f: 'NIKON CORPORATION', 0x0110: 'NIKON D800' };
const ducky = jpegSegment(0xec, Buffer.from('Ducky\0\x01\0\x04\0\0\0\x50\0\0'));

test.each<[string, Buffer, readonly string[]]>([
  ['a file without names gives none', jpeg, []],
  [
    'a camera is named by maker and model, with its firmware',
    withExif({ primary: acme }),
    ['camera Acme Snap 1 (exif)', 'firmware 17.5.1 (exif)'],
  ],
  [
    "a model that starts with its maker's brand is not named twice",
    withExif({ primary: nikon }),
    ['camera NIKON D800 (exif)'],
  ],
  [
    'a program unrelated to the camera stays of unknown kind',
    withExif({ primary: { ...acme, 0x0131: 'Painter 9' } }),
    ['camera Acme Snap 1 (exif)', 'unknown Painter 9 (exif)'],
  ],
  [
    'programs in the XMP history are named, and recognised as editors',
    withXmp(packet),
    ['editor Adobe Photoshop Camera Raw 8.6 (xmp)'],
  ],
  [
    'a program named in two places is named once',
    withExif({ primary: { 0x0131: 'Painter 9' }, exif: { 0xa43b: 'Painter 9' } }),
    ['unknown Painter 9 (exif)'],
  ],
  [
    'a generator is named even if its name alone declares nothing',
    withTexts({ Software: 'ComfyUI' }),
    ['generator ComfyUI (png-text)'],
  ],
  [
    'Facebook’s mark in the instructions names the platform',
    withIptc([[40, 'FBMD01000a9d0d0000ab']]),
    ['platform Facebook or Instagram (iptc)'],
  ],
  ['other instructions do not', withIptc([[40, 'FBMD is on holiday, use the small crop']]), []],
  [
    'Photoshop’s export for the web is recognised by its own segment',
    withSegments(jpeg, ducky),
    ['editor Adobe Photoshop (Save for Web) (exif)'],
  ],
])('%s', async (_, file, names) => {
  const software = await softwareOf(file);

  expect(software.map(({ kind, name, place }) => `${kind} ${name} (${place})`)).toEqual(names);
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
