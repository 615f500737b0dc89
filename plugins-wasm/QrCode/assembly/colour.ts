export class Colour {
  constructor(
    public readonly red: i32,
    public readonly green: i32,
    public readonly blue: i32,
    public readonly isTransparent: bool,
  ) {}

  /** Relative luminance, 0 to 1 (WCAG 2). */
  get luminance(): f64 {
    return 0.2126 * linear(this.red) + 0.7152 * linear(this.green) + 0.0722 * linear(this.blue);
  }
}

function linear(value: i32): f64 {
  const part = <f64>value / 255;
  return part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4);
}

/** `#rgb`, `#rrggbb` or `transparent`, which counts as white; the schema lets nothing else through. */
export function colourOf(text: string): Colour {
  if (text == 'transparent') return new Colour(255, 255, 255, true);
  const isShort = text.length == 4;
  const value = <i32>parseInt(text.substring(1), 16);
  if (!isShort) return new Colour(value >> 16, (value >> 8) & 255, value & 255, false);
  return new Colour((value >> 8) * 17, ((value >> 4) & 15) * 17, (value & 15) * 17, false);
}

/** How far two colours are apart, 1 to 21 (WCAG 2). */
export function contrast(dark: Colour, light: Colour): f64 {
  return (light.luminance + 0.05) / (dark.luminance + 0.05);
}
