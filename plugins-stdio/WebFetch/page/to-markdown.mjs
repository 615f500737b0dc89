import rehypeParse from 'rehype-parse';
import rehypeRemark from 'rehype-remark';
import remarkGfm from 'remark-gfm';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';
import { visit } from 'unist-util-visit';

/**
 * HTML as GitHub-flavoured Markdown, escaped by construction: a tree is written, no text is searched and replaced.
 * Links and images get whole addresses; what is neither http, https nor mailto keeps its text and loses its address.
 */
export const toMarkdown = (html, baseUrl) => {
  const links = new Map();
  const images = new Map();
  const tree = unified().use(rehypeParse, { fragment: true }).parse(html);
  visit(tree, 'element', (node, index, parent) => {
    const { tagName, properties } = node;
    if (tagName === 'a') {
      const url = whole(properties.href, baseUrl, /^(?:https?|mailto):/);
      if (url === null) {
        parent.children.splice(index, 1, ...node.children);
        return index;
      }
      properties.href = url;
      const text = textOf(node);
      if (text !== '' && !links.has(url)) links.set(url, text);
    } else if (tagName === 'img') {
      const url = whole(properties.src, baseUrl, /^https?:/) ?? whole(properties.dataSrc, baseUrl, /^https?:/);
      const alt = String(properties.alt ?? '')
        .replaceAll(/\s+/g, ' ')
        .trim();
      const isPixel = Number(properties.width) === 1 || Number(properties.height) === 1;
      if (url === null || isPixel) {
        // Trackers and images inside the page have nothing to fetch; what they are called is text.
        parent.children.splice(index, 1, { type: 'text', value: isPixel ? '' : alt });
        return index + 1;
      }
      node.properties = { src: url, alt };
      if (!images.has(url)) images.set(url, alt);
    }
    return undefined;
  });
  const markdown = unified()
    .use(rehypeRemark)
    .use(remarkGfm)
    .use(remarkStringify, { bullet: '-', emphasis: '_', fences: true, listItemIndent: 'one', rule: '-' });
  return {
    markdown: markdown.stringify(markdown.runSync(tree)).trim(),
    links: [...links].map(([url, text]) => ({ text, url })),
    images: [...images].map(([url, alt]) => ({ alt, url })),
  };
};

const whole = (address, base, schemes) => {
  const url = typeof address === 'string' ? URL.parse(address.trim(), base) : null;
  return url !== null && schemes.test(url.protocol) ? url.href : null;
};

const textOf = (node) => {
  let text = '';
  visit(node, 'text', ({ value }) => {
    text += value;
  });
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 200).toWellFormed();
};
