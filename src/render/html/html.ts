/** The report as one HTML file without scripts: the sections of the PDF. The same input gives the same bytes. */

import { escapeMarkup as escape } from '../../contract/common.ts';
import type { Region, Size } from '../../detectors/regions.ts';
import { numberTop } from '../heatmap/frames.ts';
import { legendColour, type Prints, type ReportInput } from '../heatmap/heatmap.ts';
import { printable } from '../../present/text.ts';
import type { ReportItem } from '../../present/report-item.ts';
import {
  type Block,
  type Curve,
  type Grid,
  type Plot,
  plotRange,
  type Row,
  type Section,
} from '../../present/sections/blocks.ts';
import { writeSubtitle } from '../../present/sections/head.ts';
import { writeSections } from '../../present/sections/sections.ts';
import { type Words, wordsIn } from '../../present/wording/catalogue.ts';

export function renderHtml(input: ReportInput): string {
  const { prints, examination, item, language } = input;
  const { width, height } = examination.facts;
  const { labels, document } = wordsIn(language);
  const around = { labels, parts: document.parts, size: { width, height }, prints };
  const sections = writeSections({ ...input, heatmapDigests: prints.digests });
  const stops = Array.from({ length: 17 }, (_, at) => legendColour(at / 16));
  const title = escape(`${labels.title}: ${printable(item.name, 120)}`);
  return [
    '<!doctype html>',
    `<html lang="${language}">`,
    '<head><meta charset="utf-8">',
    // Prevents the page from fetching anything, whatever a file name contains.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>`,
    `<style>${rules}\n.scale span{background:linear-gradient(90deg,${stops.join(',')})}</style></head>`,
    `<body><main><header>${writeLaboratory(item)}<h1>${escape(labels.title)}</h1>`,
    `<p>${escape(writeSubtitle(examination, item, language))}</p></header>`,
    ...sections.map((section, at) => writeSection(around, section, at)),
    `<footer>SHA-256 ${escape(examination.facts.sha256)}</footer>`,
    `</main></body></html>`,
    '',
  ].join('\n');
}

interface Surroundings {
  readonly labels: Words['labels'];
  readonly parts: Words['document']['parts'];
  readonly size: Size;
  readonly prints: Prints;
}

function writeLaboratory({ caseData }: ReportItem): string {
  const laboratory = caseData?.laboratory;
  if (laboratory === undefined) return '';
  const { name, address, logo } = laboratory;
  const type = logo?.startsWith('iVBOR') === true ? 'png' : 'jpeg';
  const image = logo === null ? '' : `<img alt="" src="data:image/${type};base64,${logo}">`;
  const head = [name, ...address].map((line) => escape(printable(line))).join('<br>');
  return `<div class="laboratory">${image}<p>${head}</p></div>`;
}

function writeSection(around: Surroundings, { title, part, blocks }: Section, at: number): string {
  const mark = part === null ? '' : ` <small>${escape(around.parts[part])}</small>`;
  const body = blocks.map((block) => writeBlock(around, block)).join('\n');
  return `<section id="s${at}" class="${part ?? 'head'}"><h2>${escape(title)}${mark}</h2>\n${body}</section>`;
}

function writeBlock(around: Surroundings, block: Block): string {
  switch (block.kind) {
    case 'verdict':
      return writeVerdict(around, block);
    case 'curves':
      return `<div class="plots">${block.plots.map(writePlot).join('')}</div>`;
    case 'heading':
      return `<h3>${escape(block.text)}</h3>`;
    case 'paragraph':
      return `<p>${lines(block.text)}</p>`;
    case 'note':
      return `<p class="note">${lines(block.text)}</p>`;
    case 'command':
      return `<pre>${escape(block.text)}</pre>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${lines(item)}</li>`).join('')}</ul>`;
    case 'table':
      return `<table class="rows">${block.rows.map(writeRow).join('')}</table>`;
    case 'grid':
      return writeGrid(around, block);
    case 'form':
      return block.labels.map((label) => `<p class="rule">${escape(label)}</p>`).join('');
    case 'heatmaps':
      return writeHeatmaps(around, block);
    case 'beside':
      break;
  }
  return `<figure class="beside"><img alt="" src="data:image/jpeg;base64,${block.jpeg}"><figcaption>${escape(block.caption)}</figcaption></figure>`;
}

function writeVerdict(
  around: Surroundings,
  { question, headline, text, places, caption, beside }: Extract<Block, { kind: 'verdict' }>,
): string {
  const figure = `<figure>${writePicture(around, around.prints.original, places)}<figcaption>${escape(caption)}</figcaption></figure>`;
  const paragraphs = beside.map(
    ({ title, items }) =>
      `<h3>${escape(title)}</h3>${items.map((item) => `<p>${lines(item)}</p>`).join('')}`,
  );
  return `<div class="verdict"><p>${escape(question)}</p><p class="headline">${escape(headline)}</p><p>${lines(text)}</p></div><div class="places">${figure}<div>${paragraphs.join('')}</div></div>`;
}

/** The outlines are drawn over the picture, in its own pixel coordinates. */
function writePicture({ size, labels }: Surroundings, jpeg: Uint8Array, places: readonly Region[]) {
  const { width, height } = size;
  const unit = Math.max(width, height) / 250;
  const stroke = Math.max(1, Math.round(unit));
  const outlines = places.map((region, at) => {
    const { left, top } = region;
    const box = `x="${left}" y="${top}" width="${region.width}" height="${region.height}"`;
    const label = { width: 9 * unit, height: 10 * unit };
    const labelY = numberTop(region, label);
    const number = `<rect x="${left}" y="${labelY}" width="${label.width}" height="${label.height}" fill="#000"/><text x="${left + 2 * unit}" y="${labelY + 8 * unit}" font-size="${8 * unit}" fill="#fff">${at + 1}</text>`;
    return `<rect ${box} stroke="#000" stroke-width="${2 * stroke}"/><rect ${box} stroke="#fff" stroke-width="${stroke}"/>${number}`;
  });
  const image = `<img alt="${escape(labels.original)}" src="${toUrl(jpeg)}">`;
  if (outlines.length === 0) return `<span class="picture">${image}</span>`;
  const box = `viewBox="0 0 ${width} ${height}" aria-hidden="true"`;
  return `<span class="picture">${image}<svg ${box}>${outlines.join('')}</svg></span>`;
}

const plotSize = { width: 320, height: 120 } as const;

function writePlot({ title, axis, ticks, supporting, opposing, own, bounds }: Plot): string {
  const { width, height } = plotSize;
  const toX = (log: number) => {
    const { from, to } = plotRange;
    return ((width * (Math.min(to, Math.max(from, log)) - from)) / (to - from)).toFixed(1);
  };
  const writeCurve = ({ points }: Curve, name: string) => {
    const coordinates = points.map(
      ([log, share]) => `${toX(log)},${(height * (1 - share)).toFixed(1)}`,
    );
    return `<polyline class="${name}" points="0,0 ${coordinates.join(' ')} ${width},${height}"/>`;
  };
  const [low, high] = bounds.map(toX);
  const drawn = `<rect x="${low}" width="${Number(high) - Number(low)}" height="${height}"/>${writeCurve(supporting, 'for')}${writeCurve(opposing, 'against')}<path d="M${toX(own.at)} 0v${height}"/>`;
  const key = `<b class="for">${escape(supporting.name)}</b> <b class="against">${escape(opposing.name)}</b> <b>${escape(own.name)}</b>`;
  return `<figure class="plot"><h4>${escape(title)}</h4><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">${drawn}</svg><figcaption>${escape(axis)}: ${ticks.join(' … ')}<br>${key}</figcaption></figure>`;
}

function writeRow({ label, value, bar, range, marks = [] }: Row): string {
  const [low, high] = range ?? [0, 0];
  const parts = [
    `<i style="width:${inPercent(bar ?? 0)}%"></i>`,
    range ? `<u style="left:${inPercent(low)}%;width:${inPercent(high - low)}%"></u>` : '',
    ...marks.map((mark) => `<s style="left:${inPercent(mark)}%"></s>`),
  ];
  const scale = bar === undefined ? '' : `<span class="bar">${parts.join('')}</span>`;
  return `<tr><th scope="row">${escape(label)}</th><td>${lines(value)}${scale}</td></tr>`;
}

function inPercent(share: number): string {
  return (100 * Math.min(Math.max(share, 0), 1)).toFixed(1);
}

function writeGrid({ prints }: Surroundings, { columns, rows }: Grid): string {
  const hasHead = columns.some(({ title }) => title !== '');
  const head = columns.map(({ title }) => `<th scope="col">${escape(title)}</th>`).join('');
  const body = rows.map(({ title, cells, panel, below = [] }) => {
    const under = below.map(
      (text) =>
        `<tr class="below"><td></td><td colspan="${columns.length - 1}">${escape(text)}</td></tr>`,
    );
    const bold = title === undefined ? '' : `<b>${escape(title)}</b><br>`;
    const jpeg = panel === undefined ? undefined : prints.methods[panel];
    const image = jpeg
      ? `<img class="panel" alt="${escape(title ?? '')}" src="${toUrl(jpeg)}">`
      : '';
    const written = columns.map((column, at) => {
      // Shown on narrow screens, where the cells are stacked.
      const label = column.title === '' ? '' : ` data-label="${escape(column.title)}"`;
      const picture = at === columns.length - 1 ? image : '';
      return `<td${label}>${at === 0 ? bold : ''}${lines(cells[at] ?? '')}${picture}</td>`;
    });
    return `<tr>${written.join('')}</tr>${under.join('')}`;
  });
  return `<table>${hasHead ? `<thead><tr>${head}</tr></thead>` : ''}<tbody>${body.join('')}</tbody></table>`;
}

function writeHeatmaps(
  around: Surroundings,
  { maps, places }: Extract<Block, { kind: 'heatmaps' }>,
): string {
  const { labels, prints } = around;
  const { low, high } = labels.scale;
  const original = `<article><h3>${escape(labels.original)}</h3>${writePicture(around, prints.original, places)}</article>`;
  const shown = maps.map(({ map, title, headline, text }) => {
    const alt = escape(`${title}. ${labels.heatmap}.`);
    const glance = headline === '' ? '' : `<p class="glance">${escape(headline)}</p>`;
    return `<article><h3>${escape(title)}</h3><img alt="${alt}" src="${toUrl(prints.heatmaps[map])}">${glance}<p>${lines(text)}</p></article>`;
  });
  const scale = `<div class="scale"><span></span><p><b>0</b> ${escape(low)}</p><p>${escape(high)} <b>1</b></p></div>`;
  return `${scale}<div class="maps">${[original, ...shown].join('\n')}</div>`;
}

function toUrl(jpeg: Uint8Array): string {
  return `data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}`;
}

function lines(text: string): string {
  return escape(text).replaceAll('\n', '<br>');
}

const rules = `
:root{--ink:#1b1f2a;--muted:#5a6272;--rule:#d3d7de;--panel:#f2f3f6;--accent:#3d2a6b}
*{box-sizing:border-box}
body{margin:0;background:#fff;color:var(--ink);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:960px;margin:0 auto;padding:24px}
section{clear:both}h1{font-size:28px;margin:0}h2{font-size:20px;color:var(--accent);margin:32px 0 8px}
h2 small{float:right;font-size:12px;color:var(--muted);text-transform:uppercase}
h3{font-size:15px;color:var(--accent);margin:16px 0 4px}
p{margin:4px 0 8px}.note,footer,nav,figcaption{color:var(--muted);font-size:13px}
section.evaluation{border-left:3px solid var(--accent);padding-left:14px;margin-left:-17px}
.laboratory{float:right;text-align:right;font-size:13px}.laboratory img{max-width:220px;max-height:80px}
.verdict{background:var(--panel);border-left:4px solid var(--accent);padding:14px 18px;margin-bottom:12px}
.places,.plots{display:flex;gap:24px}.places>*,.plots>*{flex:1 1 0;margin:0;font-size:14px}.places h3:first-child{margin-top:0}
.plot svg{width:100%;border:1px solid var(--rule);fill:none;stroke-width:2}.plot rect{fill:var(--panel)}.plot path{stroke:var(--ink);stroke-dasharray:4 4}
.plot .for{stroke:var(--accent);color:var(--accent)}.plot .against{stroke:#e0803a;color:#a85a1e}.plot h4{margin:4px 0}.headline{font-size:20px;font-weight:700;color:var(--accent)}
.picture{position:relative;display:block;line-height:0}.picture img{width:100%;outline:1px solid var(--rule)}
.beside{margin:0}.beside img{max-width:100%}
.picture svg{position:absolute;inset:0;width:100%;height:100%;fill:none}
table{border-collapse:collapse;width:100%;margin:6px 0 12px;font-size:14px}
th,td{text-align:left;vertical-align:top;padding:4px 10px 4px 0;border-bottom:1px solid var(--rule)}
thead th{color:var(--muted);font-size:12px}.rows th{width:28%;font-weight:400;color:var(--muted)}
.below td{font-size:12px;color:var(--muted);border:0}
.bar{position:relative;display:inline-block;float:right;width:140px;height:8px;margin-top:6px;background:var(--rule)}
.bar>*{position:absolute;top:0;height:100%}.bar i{left:0;background:var(--accent)}
.bar u{top:3px;height:2px;background:#e0803a}.bar s{top:-2px;height:12px;width:1px;background:var(--ink)}
.panel{max-width:140px}.rule{border-bottom:1px solid var(--muted);min-height:30px}
pre{background:var(--panel);padding:8px;overflow-x:auto}
.maps{display:grid;grid-template-columns:repeat(auto-fit,minmax(360px,1fr));gap:20px}.maps img{width:100%}
.glance{font-weight:700}.scale{display:flex;justify-content:space-between;flex-wrap:wrap;font-size:13px;color:var(--muted)}
.scale span{flex:0 0 100%;height:12px}
@media screen and (max-width:700px){.places,.plots{flex-direction:column}.maps{grid-template-columns:1fr}
table,tbody,tr,th,td{display:block}thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tr{border-bottom:1px solid var(--rule);padding:4px 0}th,td,.below td{border:0;padding:0 0 2px}.rows th{width:auto}
tr:has(+.below){border:0}td:empty{display:none}td[data-label]::before{content:attr(data-label) ': ';color:var(--muted)}}`;
