import { Json } from 'vcp-plugin';

/** What phones take for the way into a wireless network. */
export function wifiText(args: Json): string {
  const security = args.getString('security', 'WPA');
  const password = security == 'nopass' ? '' : `P:${escaped(args.getString('password'))};`;
  const hidden = args.getBoolean('hidden') ? 'H:true;' : '';
  return `WIFI:T:${security};S:${escaped(args.getString('ssid'))};${password}${hidden};`;
}

function escaped(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if ('\\;,:"'.includes(character)) out += '\\';
    out += character;
  }
  return out;
}
