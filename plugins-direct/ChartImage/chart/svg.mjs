const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it may stand in XML. */
export const escapeXml = (text) => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character]);

/** One element; attributes that are null or undefined are left out, children are SVG already. */
export const element = (name, attributes, ...children) => {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeXml(typeof value === 'number' ? number(value) : String(value))}"`)
    .join('');
  return `<${name}${written}>${children.flat().join('')}</${name}>`;
};

/** A coordinate: hundredths of a pixel are enough. */
export const number = (value) => String(Math.round(value * 100) / 100);
