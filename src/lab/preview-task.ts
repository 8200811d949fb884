import { drawPreview, type Preview } from '../report/preview.ts';
import type { PreviewRequest } from './lab.ts';
import { checkSame, openSource } from './open-source.ts';
import type { ChildSettings } from './tasks.ts';

export async function performPreview(
  { source, examination, map, box }: PreviewRequest,
  { limits }: ChildSettings,
): Promise<Preview> {
  const { picture } = await openSource(source, limits);
  checkSame(picture, examination);
  return drawPreview(picture, { maps: examination.maps, name: map, box });
}
