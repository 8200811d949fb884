import { expect, test } from 'vitest';
import { childText, parseXml } from '../../../src/blobs/door/xml-reader.ts';
import { codeOf } from './code-of.ts';

const text = `<?xml version="1.0" encoding="UTF-8"?>
<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <!-- quiet -->
  <Quiet>true</Quiet><Empty/>
  <a:Object a:type="x"><Key>&lt;ä&gt; &amp;&#x26;&#38;&quot;&apos; 🦊</Key></a:Object>
</Delete>`;
const codeFor = (xml: string | Buffer) => codeOf(() => parseXml(Buffer.from(xml)));

test('elements, their text and their entities are read; prefixes, attributes and comments mean nothing', () => {
  const root = parseXml(Buffer.from(text));

  expect([root.name, root.children.map(({ name }) => name)]).toEqual([
    'Delete',
    ['Quiet', 'Empty', 'Object'],
  ]);
  expect(childText(root, 'Quiet')).toBe('true');
  expect(childText(root, 'Empty')).toBe('');
  expect(childText(root, 'Missing')).toBeNull();
  expect(childText(root.children[2]!, 'Key')).toBe('<ä> &&&"\' 🦊');
});

test('every truncation is MalformedXML', async () => {
  const bytes = Buffer.from(text);
  const codes = new Set<string>();

  for (let length = 0; length < bytes.length; length++) {
    codes.add(await codeFor(bytes.subarray(0, length)));
  }

  expect([...codes]).toEqual(['MalformedXML']);
});

test.each([
  ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ['CDATA', '<a><![CDATA[b]]></a>'],
  ['an entity that nobody knows', '<a>&nbsp;</a>'],
  ['an entity that does not end', '<a>&amp</a>'],
  ['a character that is none', '<a>&#x110000;</a>'],
  ['a wrong end', '<a></b>'],
  ['two roots', '<a/><b/>'],
  ['text around the root', '<a/>b'],
  ['bytes that are no UTF-8', Buffer.from('<a>\xff</a>', 'latin1')],
  ['elements without end', '<a>'.repeat(100_000)],
  ['attributes without end', `<a ${'b="c" '.repeat(100_000)}`],
])('%s is MalformedXML', async (_what, xml) => {
  expect(await codeFor(xml)).toBe('MalformedXML');
});
