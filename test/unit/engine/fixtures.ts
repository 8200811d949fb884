/** Shared by several engine tests: the packaged models, and decoded pictures. */

import type { Models } from '../../../src/engine/schedule.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import type { Picture } from '../../../src/image/picture.ts';
import { createRegistry } from '../../../src/inference/registry.ts';
import { loadRuntime } from '../../../src/inference/runtime.ts';
import {
  loadTraceModel,
  type TraceModel,
  loadLocateModel,
} from '../../../src/inference/networks.ts';
import { fromScene, type Scene, scenePng } from '../../fixtures/pictures.ts';

export async function loadPackagedModel(id: string | null = null): Promise<TraceModel> {
  return loadTraceModel(await createRegistry().open(id), await loadRuntime());
}

export async function loadPackagedModels(): Promise<Models> {
  const locator = await loadLocateModel(await createRegistry().openLocator(), await loadRuntime());
  return { trace: await loadPackagedModel(), locator };
}

export async function scenePicture(width: number, height: number, seed = 1): Promise<Picture> {
  return decodePicture(await scenePng({ width, height, seed }));
}

export async function pictureOf(scene: Scene): Promise<Picture> {
  return decodePicture(await fromScene(scene).png().toBuffer());
}
