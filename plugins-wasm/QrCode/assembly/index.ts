import {
  Call,
  failure,
  Json,
  Payload,
  resourceReference,
  ResourceDraft,
  serve,
  success,
  writeResource,
} from 'vcp-plugin';
import { Level } from './capacity';
import { colourOf, contrast } from './colour';
import { encode, Encoded } from './encode';
import { pngOf } from './png';
import { modeName } from './segment';
import { textOf } from './text-art';
import { wifiText } from './wifi';

/** Below this, cameras begin to have trouble. */
const LEAST_CONTRAST: f64 = 3;
const MOST_PIXELS = 4096;

export function invoke(): i32 {
  return serve((call) => {
    if (call.command == 'Text') return textCode(call.arguments);
    const text = call.command == 'Wifi' ? wifiText(call.arguments) : call.arguments.getString('text');
    return imageCode(call, text);
  });
}

function imageCode(call: Call, text: string): Payload {
  const args = call.arguments;
  const encoded = encodeOf(args, text);
  if (encoded === null) return tooLong(call.command == 'Wifi' ? 'password' : 'text');
  const scale = args.getInteger('scale', 8);
  const quietZone = args.getInteger('quietZone', 4);
  const width = (encoded.symbol.size + 2 * quietZone) * scale;
  if (width > MOST_PIXELS) {
    const message = `the picture would be ${width} pixels wide, and ${MOST_PIXELS} are the most; give a smaller scale`;
    return failure('QR.TOO_LARGE', message, 'scale');
  }
  const dark = colourOf(args.getString('dark', '#000000'));
  const light = colourOf(args.getString('light', '#ffffff'));
  const png = pngOf(encoded.symbol, scale, quietZone, dark, light);
  const written = writeResource(png, 'qr-code.png', 'image/png');
  if (written.failed) return written.toFailure();

  const data = factsOf(encoded).set('widthPixels', width).set('image', resourceReference('code'));
  const image = new ResourceDraft('code', written.value.getString('resourceId')).kind('image').role('output');
  const payload = success(data)
    .summary(`QR code of version ${encoded.symbol.version}, ${width} × ${width} pixels`)
    .resource(image)
    .primaryResource('code')
    .advise('display_resource', 'Show the picture to the user.', ['code']);
  if (quietZone < 4) payload.warn('QUIET_ZONE_NARROW', 'some readers need a border of 4 modules; set quietZone to 4');
  const ratio = contrast(dark, light);
  if (ratio < 1) payload.warn('COLOURS_INVERTED', 'dark is lighter than light; many readers do not read such a code');
  else if (ratio < LEAST_CONTRAST) payload.warn('LOW_CONTRAST', 'the two colours are so near that readers may fail');
  return payload;
}

function textCode(args: Json): Payload {
  const encoded = encodeOf(args, args.getString('text'));
  if (encoded === null) return tooLong('text');
  const art = textOf(encoded.symbol, args.getInteger('quietZone', 2), args.getBoolean('inverted', false));
  return success(factsOf(encoded).set('drawing', art)).summary(`QR code of version ${encoded.symbol.version} as text`);
}

function encodeOf(args: Json, text: string): Encoded | null {
  return encode(text, levelOf(args.getString('errorCorrection', 'M')), args.getInteger('minVersion', 1));
}

function levelOf(name: string): Level {
  return name == 'L' ? Level.L : name == 'Q' ? Level.Q : name == 'H' ? Level.H : Level.M;
}

function factsOf(encoded: Encoded): Json {
  return Json.object()
    .set('version', encoded.symbol.version)
    .set('errorCorrection', 'LMQH'.charAt(encoded.level))
    .set('mode', modeName(encoded.mode))
    .set('mask', encoded.mask)
    .set('modules', encoded.symbol.size);
}

function tooLong(target: string): Payload {
  return failure('QR.TOO_LONG', 'no QR code holds so much; shorten it, or take a lower errorCorrection', target);
}
