/**
 * Pictures that are neither photographs nor generated, drawn from a seed: a detector of generated
 * pictures must not decide them. The renderer and the shapes differ from those of training.
 */

import sharp, { type Sharp } from 'sharp';
import { createRandom } from '../../src/engine/calibration.ts';
import { drawScene, fromScene } from '../../test/fixtures/pictures.ts';

type Random = () => number;

interface Drawn {
  readonly kind: string;
  readonly file: Buffer;
}

interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly random: Random;
}

const eachKind = 30;

/** 30 of each kind, as PNG, JPEG 85 and JPEG 60 in turn. */
export async function* drawings(): AsyncGenerator<Drawn> {
  for (const [kind, draw] of Object.entries(kinds)) {
    for (let at = 0; at < eachKind; at++) {
      // The product's decoder blocks all but two loaders for this process, again for each picture.
      // Here the data is trusted.
      sharp.unblock({ operation: ['VipsForeignLoadSvg', 'VipsForeignLoadPng'] });
      const random = createRandom(1000 * Object.keys(kinds).indexOf(kind) + at);
      const width = 400 + Math.floor(random() * 1200);
      const height = Math.floor(width * (0.6 + random() * 0.8));
      const svg = draw({ width, height, random });
      const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${svg}</svg>`;
      let picture = sharp(Buffer.from(text)).flatten({ background: '#fff' });
      if (kind === 'rendered scene') picture = scene(width, height, at % 2 === 0 ? 1 : 3, random);
      if (kind === 'page with a picture')
        picture = await withPicture(picture, { width, height, random });
      if (kind === 'scan of text') picture = scanned(picture, random);
      const file =
        at % 3 === 0
          ? await picture.png().toBuffer()
          : await picture.jpeg({ quality: at % 3 === 1 ? 85 : 60 }).toBuffer();
      yield { kind, file };
    }
  }
}

const kinds: Readonly<Record<string, (canvas: Canvas) => string>> = {
  'colour gradient': ({ width, height, random }) => {
    const stops = range(2 + int(random, 3)).map(
      (at, _, all) => `<stop offset="${at / (all.length - 1)}" stop-color="${colour(random)}"/>`,
    );
    const tag = random() < 0.6 ? 'linearGradient' : 'radialGradient';
    const place = tag === 'linearGradient' ? `x1="0" y1="0" x2="${random()}" y2="${random()}"` : '';
    return `<defs><${tag} id="g" ${place}>${stops.join('')}</${tag}></defs>${box(0, 0, width, height, 'url(#g)')}`;
  },
  'flat illustration': ({ width, height, random }) => {
    const hills = range(4).map((level) => {
      const y = height * (0.35 + 0.15 * level);
      return `<path d="M0 ${y} Q ${width * random()} ${y - height * 0.3 * random()} ${width} ${y} V ${height} H 0 Z" fill="${colour(random)}"/>`;
    });
    const sun = `<circle cx="${width * random()}" cy="${height * 0.2}" r="${height * 0.08}" fill="#fd4"/>`;
    return box(0, 0, width, height, colour(random)) + sun + hills.join('');
  },
  'bar chart': (canvas) =>
    axes(canvas, (x, y, step) => box(x, y, step * 0.7, canvas.height * 0.9 - y, '#3b7')),
  'line chart': (canvas) => {
    const points: string[] = [];
    const grid = axes(canvas, (x, y) => (points.push(`${x},${y}`), ''));
    return `${grid}<polyline points="${points.join(' ')}" fill="none" stroke="#d33" stroke-width="3"/>`;
  },
  'pie chart': ({ width, height, random }) => {
    const radius = Math.min(width, height) * 0.4;
    let angle = 0;
    const slices = range(3 + int(random, 5)).map(() => {
      const [from, to] = [angle, (angle += 0.3 + random())];
      const at = (turn: number) =>
        `${width / 2 + radius * Math.cos(turn)} ${height / 2 + radius * Math.sin(turn)}`;
      return `<path d="M${width / 2} ${height / 2} L${at(from)} A${radius} ${radius} 0 0 1 ${at(to)} Z" fill="${colour(random)}"/>`;
    });
    return box(0, 0, width, height, '#fff') + slices.join('');
  },
  table: ({ width, height, random }) => {
    const rows = range(Math.floor(height / 28)).map((row) => {
      const y = row * 28;
      const cells = range(Math.floor(width / 130)).map((column) =>
        words(random, 1, column * 130 + 6, y + 19, 14),
      );
      return box(0, y, width, 28, row % 2 === 0 ? '#eef' : '#fff') + cells.join('');
    });
    return rows.join('');
  },
  'screen of a program': ({ width, height, random }) => {
    const items = range(12).map((at) => words(random, 2, 20, 60 + at * 30, 15));
    const lines = range(14).map((at) => words(random, 8, 240, 80 + at * 26, 14));
    return (
      box(0, 0, width, height, '#fafafa') +
      box(0, 0, width, 36, colour(random)) +
      box(0, 36, 210, height, '#e8e8ee') +
      items.join('') +
      lines.join('') +
      box(240, height - 60, 120, 34, colour(random))
    );
  },
  'dark terminal': ({ width, height, random }) =>
    box(0, 0, width, height, '#111') +
    range(Math.floor(height / 20))
      .map((at) => words(random, 4 + int(random, 8), 8, 16 + at * 20, 14, '#8e8'))
      .join(''),
  'page of text': (canvas) => page(canvas),
  'scan of text': (canvas) => page(canvas),
  logo: ({ width, height, random }) => {
    const size = Math.min(width, height);
    const shapes = range(3).map(
      () =>
        `<circle cx="${width * (0.35 + 0.3 * random())}" cy="${height * (0.3 + 0.3 * random())}" r="${size * (0.08 + 0.12 * random())}" fill="${colour(random)}" fill-opacity="0.8"/>`,
    );
    return (
      box(0, 0, width, height, '#fff') +
      shapes.join('') +
      words(random, 1, width * 0.3, height * 0.85, size * 0.12)
    );
  },
  'test pattern': ({ width, height, random }) => {
    const period = 2 + random() * 40;
    const turn = int(random, 180);
    const stripe = `<pattern id="p" width="${period}" height="${period}" patternUnits="userSpaceOnUse" patternTransform="rotate(${turn})">${box(0, 0, period / 2, period, colour(random))}</pattern>`;
    return `<defs>${stripe}</defs>${box(0, 0, width, height, '#fff')}${box(0, 0, width, height, 'url(#p)')}`;
  },
  map: ({ width, height, random }) => {
    const roads = range(14).map(
      () =>
        `<path d="M${width * random()} 0 Q ${width * random()} ${height * random()} ${width * random()} ${height}" stroke="${random() < 0.3 ? '#e90' : '#fff'}" stroke-width="${2 + random() * 9}" fill="none"/>`,
    );
    const water = `<path d="M0 ${height * 0.6} Q ${width / 2} ${height * random()} ${width} ${height * 0.8} V ${height} H 0 Z" fill="#9cd"/>`;
    return (
      box(0, 0, width, height, '#e8e4d8') +
      water +
      roads.join('') +
      range(6)
        .map(() => words(random, 1, width * random(), height * random(), 13))
        .join('')
    );
  },
  'page with a picture': (canvas) => page(canvas),
  'code of modules': ({ width, height, random }) => {
    const side = Math.min(width, height) * 0.9;
    const count = 21 + 4 * int(random, 6);
    const cells = range(count * count).filter(() => random() < 0.5);
    const px = side / count;
    return (
      box(0, 0, width, height, '#fff') +
      cells
        .map((at) => box(px * (at % count), px * Math.floor(at / count), px, px, '#000'))
        .join('')
    );
  },
  'rendered scene': () => '',
};

/** A picture of light and noise on less than a third of the page. */
async function withPicture(paper: Sharp, { width, height, random }: Canvas): Promise<Sharp> {
  const [wide, high] = [Math.floor(width * 0.5), Math.floor(height * 0.5)];
  const input = await scene(wide, high, 1, random).png().toBuffer();
  const left = int(random, width - wide);
  const top = int(random, height - high);
  return sharp(await paper.composite([{ input, left, top }]).png().toBuffer());
}

/** Textured objects in front of a background, drawn `times` as large as they are shown. */
function scene(width: number, height: number, times: number, random: Random): Sharp {
  const large = { width: times * width, height: times * height };
  return fromScene(drawScene({ ...large, seed: int(random, 1e6) })).resize(width, height);
}

function scanned(paper: Sharp, random: Random): Sharp {
  return paper
    .rotate(random() * 4 - 2, { background: '#ddd' })
    .blur(0.5 + random())
    .linear(0.8, 25);
}

function page({ width, height, random }: Canvas): string {
  const size = 12 + int(random, 8);
  const lines = range(Math.floor(height / (1.6 * size))).map((at) =>
    random() < 0.1
      ? ''
      : words(random, Math.floor(width / (5 * size)), 30, (at + 1.5) * 1.6 * size, size, '#222'),
  );
  return box(0, 0, width, height, '#fff') + lines.join('');
}

function axes(
  { width, height, random }: Canvas,
  draw: (x: number, y: number, step: number) => string,
): string {
  const count = 4 + int(random, 14);
  const step = (width * 0.85) / count;
  const lines = range(6).map((at) => {
    const y = height * (0.1 + 0.16 * at);
    return `<line x1="${width * 0.08}" x2="${width * 0.95}" y1="${y}" y2="${y}" stroke="#ccc"/>${words(random, 1, 2, y, 12)}`;
  });
  const values = range(count).map((at) =>
    draw(width * 0.1 + at * step, height * (0.1 + 0.75 * random()), step),
  );
  return box(0, 0, width, height, '#fff') + lines.join('') + values.join('');
}

function box(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"/>`;
}

const vocabulary =
  'invoice total of the month delivery open closed meeting north river street open 42 17.5 2021 name'.split(
    ' ',
  );

function words(
  random: Random,
  count: number,
  x: number,
  y: number,
  size: number,
  fill = '#333',
): string {
  const text = range(count).map(() => vocabulary[int(random, vocabulary.length)]!);
  return `<text x="${x}" y="${y}" font-family="sans-serif" font-size="${size}" fill="${fill}">${text.join(' ')}</text>`;
}

function colour(random: Random): string {
  return `hsl(${int(random, 360)} ${int(random, 100)}% ${20 + int(random, 70)}%)`;
}

const range = (count: number) => Array.from({ length: count }, (_, at) => at);
const int = (random: Random, below: number) => Math.floor(random() * below);
