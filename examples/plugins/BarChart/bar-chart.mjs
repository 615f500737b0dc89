// Reads one call from stdin, writes a file into the directory of the call, and answers with one line on stdout.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { arguments: args, context } = JSON.parse(readFileSync(0, 'utf8')).payload;
const highest = Math.max(...args.values, 1);
const bars = args.values.map((value, index) => {
  const height = (value / highest) * 100;
  return `<rect x="${index * 12}" y="${100 - height}" width="10" height="${height}"/>`;
});
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${bars.length * 12}" height="100">${bars.join('')}</svg>`;
writeFileSync(join(context.resourceDir, 'chart.svg'), svg);

const payload = {
  status: 'success',
  data: { bars: bars.length, chart: { $resource: 'chart' } },
  resources: [{ id: 'chart', kind: 'image', role: 'output', localPath: 'chart.svg' }],
  presentation: { summary: `A chart of ${bars.length} bars`, primaryResourceId: 'chart' },
};
console.log(JSON.stringify({ vcp: 'tool-result', version: '1.0', payload }));
