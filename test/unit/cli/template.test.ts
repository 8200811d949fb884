import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../../fixtures/folder.ts';
import { readCaseData } from '../../../src/cli/analyze/local.ts';

function templateWith(content: object): string {
  const path = join(newFolder(), 'template.json');
  writeFileSync(path, JSON.stringify(content));
  return path;
}

test('line breaks in a template become spaces, as in notes', async () => {
  const template = templateWith({ name: 'Example\nLaboratory', address: ['1 Street,\r\n Town '] });

  expect(await readCaseData({ template })).toEqual({
    caseData: {
      laboratory: {
        name: 'Example Laboratory',
        address: ['1 Street, Town'],
        sentences: [],
        logo: null,
      },
    },
  });
});

test.each([
  { name: 'x'.repeat(121) },
  { name: 'x', address: ['x'.repeat(121)] },
  { name: 'x', sentences: ['x'.repeat(601)] },
])('a template with a line that the report would cut is refused', async (content) => {
  await expect(readCaseData({ template: templateWith(content) })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('at most 120 characters'),
  });
});
