import { seamOf } from '../engine/seam.ts';
import type { Seams, SeamsRequest } from './lab.ts';
import type { ModelShelf } from './model-shelf.ts';
import { openSource } from './open-source.ts';
import type { ChildSettings } from './tasks.ts';

export async function performSeams(
  { source, model }: SeamsRequest,
  { limits, modelsDir }: ChildSettings,
  shelf: ModelShelf,
): Promise<Seams> {
  const { picture } = await openSource(source, limits);
  const { trace } = await shelf.take({ model }, modelsDir);
  const { input, votes } = trace.manifest;
  const { cellPx, haloPx } = input;
  const features = await seamOf(picture, { read: trace.readFeatures, cellPx, haloPx });
  if (!trace.readVotes || !votes) return { features, votes: null };
  const arm = { read: trace.readVotes, cellPx, haloPx: votes.haloPx };
  return { features, votes: await seamOf(picture, arm) };
}
