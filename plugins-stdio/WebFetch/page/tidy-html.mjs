import { fromParse5 } from 'hast-util-from-parse5';
import { toHtml } from 'hast-util-to-html';
import { defaultTreeAdapter, parse } from 'parse5';
import { SKIP, visit } from 'unist-util-visit';
import { PluginError } from '../../../plugin-kit/node/vcp-plugin.mjs';

/** Browsers stop at about this depth as well. Beyond it parsers need time with the square of it. */
const MOST_LEVELS = 200;
/** Elements of a page; reading more would keep other calls waiting for seconds. */
const MOST_ELEMENTS = 40_000;
/** Attributes kept of an element. */
const MOST_ATTRIBUTES = 100;
/** Characters of text kept: as many as a call may ask for. */
const MOST_CHARACTERS = 1_000_000;

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
export const tidyHtml = (source) => {
  const { tree, elements } = parseBounded(source);
  let characters = 0;
  visit(tree, (node, index, parent) => {
    if (node.type === 'text') {
      node.value = node.value.slice(0, Math.max(0, MOST_CHARACTERS - characters)).toWellFormed();
      characters += node.value.length;
    }
    if (parent === undefined || !(node.type === 'comment' || (node.type === 'element' && isDropped(node))))
      return undefined;
    parent.children.splice(index, 1);
    return [SKIP, index];
  });
  return { html: toHtml(tree), elements, isCut: characters === MOST_CHARACTERS };
};

const isDropped = ({ tagName, properties = {} }) =>
  DROPPED.has(tagName) ||
  (tagName !== 'html' &&
    tagName !== 'body' &&
    (properties.hidden === true || properties.ariaHidden === 'true' || HIDING.test(String(properties.style ?? ''))));

/** The tree of a page, given up where it grows beyond bounds: what counts is what a parser makes of it, not its tags. */
const parseBounded = (source) => {
  let depth = 0;
  let elements = 0;
  const treeAdapter = {
    ...defaultTreeAdapter,
    createElement: (tagName, namespace, attributes) => {
      elements += 1;
      if (elements > MOST_ELEMENTS) throw unreadable(`has more than ${MOST_ELEMENTS} elements`);
      return defaultTreeAdapter.createElement(tagName, namespace, attributes.slice(0, MOST_ATTRIBUTES));
    },
    onItemPush: () => {
      depth += 1;
      if (depth > MOST_LEVELS) throw unreadable(`is nested more than ${MOST_LEVELS} levels deep`);
    },
    onItemPop: () => {
      depth -= 1;
    },
  };
  return { tree: fromParse5(parse(source, { treeAdapter, scriptingEnabled: false })), elements };
};

const unreadable = (fault) =>
  new PluginError(
    'WEB.UNREADABLE',
    `the page ${fault}, which cannot be read as a page. Ask for format "file" to have it as it is.`,
    { target: 'url' },
  );
