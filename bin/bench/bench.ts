/**
 * `npm run bench [-- --only pipeline,throughput,command,formats,start,listing,http,machines,table,search] [--rows 1000000] [--sizes 1,4,12] [--rounds 5] [--profile] [--json]`
 *
 * Ratios are of medians of interleaved rounds in this one run, so they can be compared between machines; times cannot.
 * `--profile` measures only the steps of one picture.
 */

import { availableParallelism, cpus, loadavg } from 'node:os';
import { benchCommand } from './command.ts';
import type { Row } from './figures.ts';
import { benchFormats } from './formats.ts';
import { benchHttp } from './http.ts';
import { benchListing } from './listing.ts';
import { benchMachines } from './machines.ts';
import { benchPipeline } from './pipeline.ts';
import { benchProfile } from './profile.ts';
import { sizes } from './sizes.ts';
import { benchSearch } from './search.ts';
import { benchStart } from './start.ts';
import { benchTable } from './table.ts';
import { benchThroughput } from './throughput.ts';
import { readOptions } from '../usage.ts';

const values = readOptions(import.meta.url, {
  only: { type: 'string', default: 'pipeline,throughput,command,formats,start,listing,http' },
  sizes: { type: 'string', default: '1,4,12' },
  rounds: { type: 'string', default: '5' },
  rows: { type: 'string', default: '1000000' },
  profile: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
});
const sections = values.profile ? ['profile'] : values.only.split(',');
const chosen = sizes.filter(({ megapixels }) =>
  values.sizes.split(',').includes(String(megapixels)),
);
const rounds = Number(values.rounds);
// Throughput means nothing on a busy machine, so the report starts with the load.
const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim()}), load ${loadavg()[0]!.toFixed(1)} at the start`;
const report: { section: string; rows: readonly Row[] }[] = [];

if (!values.json) process.stdout.write(`${machine}\n\n`);
for (const size of chosen) {
  const at = `${size.megapixels} MP, ${size.width} x ${size.height} JPEG`;
  if (sections.includes('profile')) {
    tell(`${at}, processor time of each step`, await benchProfile(size, rounds));
  }
  if (sections.includes('pipeline')) tell(`${at}, one child`, await benchPipeline(size, rounds));
  if (sections.includes('throughput')) tell(`${at}, flagging`, await benchThroughput(size, rounds));
  if (sections.includes('command')) tell(`${at}, command line`, await benchCommand(size, rounds));
}
if (sections.includes('formats')) tell('What phones and offices send', await benchFormats());
if (sections.includes('start')) tell('Start of the program', await benchStart(rounds));
if (sections.includes('listing')) tell('A list with signed URLs', await benchListing(rounds));
if (sections.includes('http')) tell('HTTPS, one connection', await benchHttp(rounds));
if (sections.includes('machines')) tell('PostgreSQL, tasks of 50 ms', await benchMachines());
if (sections.includes('table')) tell('a long table', await benchTable(Number(values.rows)));
if (sections.includes('search')) {
  tell('a picture seen before', await benchSearch(Number(values.rows)));
}
if (values.json)
  process.stdout.write(`${JSON.stringify({ machine, sections: report }, null, 2)}\n`);

function tell(section: string, rows: readonly Row[]): void {
  report.push({ section, rows });
  if (values.json) return;
  const lines = rows.map(({ what, value, unit, atMost }) => {
    const figure = value.toFixed(value < 10 ? 2 : 0).padStart(8);
    const goal =
      atMost === undefined ? '' : `   (goal ${atMost}: ${value <= atMost ? 'reached' : 'missed'})`;
    return `  ${what.padEnd(36)}${figure} ${unit}${goal}`;
  });
  process.stdout.write(`${[section, ...lines].join('\n')}\n\n`);
}
