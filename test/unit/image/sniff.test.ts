import { describe, expect, test } from 'vitest';
import { describeContent, formatOfName, sniffFormat } from '../../../src/image/file-kind.ts';
import { drawScene, fromScene, sceneJpeg, scenePng } from '../../fixtures/pictures.ts';

const scene = { width: 70, height: 70, seed: 1 };

describe('sniffFormat', () => {
  test('recognises JPEG and PNG by their content', async () => {
    expect(sniffFormat(await sceneJpeg(scene))).toBe('jpg');
    expect(sniffFormat(await scenePng(scene))).toBe('png');
  });

  test('does not accept part of a signature', () => {
    expect(sniffFormat(Uint8Array.of(0xff, 0xd8))).toBeNull();
    expect(sniffFormat(Buffer.from('\x89PNG\r\n', 'latin1'))).toBeNull();
    expect(sniffFormat(new Uint8Array())).toBeNull();
  });
});

describe('describeContent', () => {
  test.each(['webp', 'gif', 'tiff', 'avif'] as const)('names a real %s file', async (format) => {
    const bytes = await fromScene(drawScene(scene)).toFormat(format).toBuffer();

    expect(describeContent(bytes).toLowerCase()).toContain(format);
  });

  test.each([
    ['', 'an empty file'],
    ['\0\0\0\x18ftypheic\0\0\0\0', 'a HEIC picture'],
    ['\0\0\0\x18ftypisom\0\0\0\0', 'a video'],
    ['BM\x36\0\0\0', 'a BMP picture'],
    ['8BPS\0\x01', 'a Photoshop document'],
    ['%PDF-1.7\n', 'a PDF document'],
    ['PK\x03\x04\x14\0', 'a ZIP archive or an office document'],
    ['\x1f\x8b\x08\0', 'a gzip archive'],
    ['<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', 'an SVG drawing'],
    ['\n<!DOCTYPE HTML><title>x</title>', 'a web page'],
    ['Dear reader,\nthis is no picture.\n', 'a text file'],
    ['\0\x01\x02\x03', 'a file of an unknown kind'],
  ])('takes %j for %s', (content, name) => {
    expect(describeContent(Buffer.from(content, 'latin1'))).toBe(name);
  });
});

test('formatOfName reads only the extension, in any case', () => {
  expect(formatOfName('holiday.JPEG')).toBe('jpg');
  expect(formatOfName('/a.png/b.jfif')).toBe('jpg');
  expect(formatOfName('copy.png')).toBe('png');
  expect(formatOfName('copy.webp')).toBe('webp');
  expect(formatOfName('png')).toBeNull();
  expect(formatOfName('upload.tmp')).toBeNull();
});
