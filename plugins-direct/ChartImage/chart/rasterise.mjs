import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { initWasm, Resvg } from '@resvg/resvg-wasm';

let ready;

/** SVG to PNG bytes, each unit drawn as `scale` pixels, with these font files and no others. */
export const rasterise = async (svg, { scale, fontFiles }) => {
  ready ??= initWasm(readFileSync(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')));
  await ready;
  const font = { fontBuffers: fontFiles, defaultFontFamily: 'Inter', loadSystemFonts: false };
  const renderer = new Resvg(svg, { font, fitTo: { mode: 'zoom', value: scale } });
  const image = renderer.render();
  try {
    return image.asPng();
  } finally {
    image.free();
    renderer.free();
  }
};
