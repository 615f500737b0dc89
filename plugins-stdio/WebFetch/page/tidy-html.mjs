import { toHtml } from 'hast-util-to-html';
import { Parser } from 'htmlparser2';
import rehypeParse from 'rehype-parse';
import { unified } from 'unified';
import { SKIP, visit } from 'unist-util-visit';
import { PluginError } from '../../../plugin-kit/node/vcp-plugin.mjs';

/** Browsers stop at about this depth as well. Beyond it parsers need time with the square of it. */
const MOST_LEVELS = 200;
/** Elements of a page; reading more would keep other calls waiting for seconds. */
const MOST_ELEMENTS = 40_000;

/** What is never text of a page, whoever reads it. Forms hold the whole page on some sites, and stay. */
const DROPPED = new Set(
  'script style noscript template iframe object embed dialog svg canvas math audio video select button input'.split(
    ' ',
  ),
);
const HIDING = /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])/i;

/**
 * The page as a browser would understand it, without comments, programs and what is hidden from a reader: words that
 * only machines see have no business in front of a model. Throws PluginError for a page beyond all bounds.
 */
export const tidyHtml = (html) => {
  const elements = countElements(html);
  const tree = unified().use(rehypeParse).parse(html);
  visit(tree, (node, index, parent) => {
    if (parent === undefined || !(node.type === 'comment' || (node.type === 'element' && isDropped(node))))
      return undefined;
    parent.children.splice(index, 1);
    return [SKIP, index];
  });
  return { html: toHtml(tree), elements };
};

const isDropped = ({ tagName, properties = {} }) =>
  DROPPED.has(tagName) ||
  (tagName !== 'html' &&
    tagName !== 'body' &&
    (properties.hidden === true || properties.ariaHidden === 'true' || HIDING.test(String(properties.style ?? ''))));

const countElements = (html) => {
  let depth = 0;
  let elements = 0;
  let fault = '';
  const parser = new Parser({
    onopentag: () => {
      depth += 1;
      elements += 1;
      if (depth > MOST_LEVELS) fault = `is nested more than ${MOST_LEVELS} levels deep`;
      else if (elements > MOST_ELEMENTS) fault = `has more than ${MOST_ELEMENTS} elements`;
      if (fault !== '') parser.pause();
    },
    onclosetag: () => (depth -= 1),
  });
  // In pieces, so that the first fault ends it.
  for (let start = 0; start < html.length && fault === ''; start += 16_384)
    parser.write(html.slice(start, start + 16_384));
  if (fault === '') return elements;
  throw new PluginError(
    'WEB.UNREADABLE',
    `the page ${fault}, which cannot be read as a page. Ask for format "file" to have it as it is.`,
    { target: 'url' },
  );
};
