import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { clean } from './decode-text.mjs';
import { tidyHtml } from './tidy-html.mjs';
import { toMarkdown } from './to-markdown.mjs';

const MOST_LINKS = 100;
const MOST_IMAGES = 30;
/** Characters. */
const SHORTEST_ARTICLE = 80;
/** Looking for the article takes time with the square of the elements: seconds from here on. */
const MOST_ELEMENTS_OF_ARTICLE = 8_000;

/** What a page says: its article where there is one, else all of it; links and images with whole addresses. */
export const readHtml = (source, url, options) => cleaned(readAll(source, url, options));

/** Character references (`&#x202e;`) become characters only when HTML is parsed, so it is the outcome that is cleaned. */
const cleaned = (value) => {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, cleaned(child)]));
};

const readAll = (source, url, { wanted }) => {
  const { html, elements, isCut } = tidyHtml(source);
  const { document } = parseHTML(html);
  const baseUrl = resolve(document.querySelector('base[href]')?.getAttribute('href'), url) ?? url;
  const head = readHead(document, baseUrl);
  const article = wanted === 'metadata' || elements > MOST_ELEMENTS_OF_ARTICLE ? null : findArticle(html);
  const title = article?.title || head.title;
  const about = {
    ...head,
    title: oneLine(title, 500),
    byline: oneLine(article?.byline ?? head.byline, 200),
    siteName: oneLine(article?.siteName ?? head.siteName, 200),
    published: oneLine(article?.publishedTime ?? head.published, 100),
    excerpt: oneLine(article?.excerpt ?? head.excerpt, 1_000),
    isArticle: article !== null,
    isCut,
  };
  if (wanted === 'metadata') return { ...about, content: null, links: [], images: [] };
  const { markdown, links, images } = toMarkdown(article?.content ?? bodyOf(document), baseUrl);
  return {
    ...about,
    content: wanted === 'text' ? plainText(article?.textContent ?? textOf(document)) : markdown,
    links: links.slice(0, MOST_LINKS),
    images: images.slice(0, MOST_IMAGES),
  };
};

const findArticle = (html) => {
  // Readability takes the document apart, so it gets one of its own.
  const { document } = parseHTML(html);
  const article = new Readability(document, { charThreshold: 200 }).parse();
  // A menu or a notice is found as well where there is nothing else; it is no article.
  return article === null || article.textContent.trim().length < SHORTEST_ARTICLE ? null : article;
};

const readHead = (document, baseUrl) => {
  const meta = (...names) => {
    for (const name of names) {
      const content = document.querySelector(`meta[property="${name}"], meta[name="${name}"]`)?.getAttribute('content');
      if (content) return content;
    }
    return null;
  };
  return {
    title: meta('og:title') ?? document.querySelector('title')?.textContent ?? null,
    byline: meta('author', 'article:author'),
    siteName: meta('og:site_name'),
    published:
      meta('article:published_time', 'date', 'dc.date') ??
      document.querySelector('time[datetime]')?.getAttribute('datetime') ??
      null,
    language: oneLine(document.documentElement?.getAttribute('lang') ?? meta('og:locale'), 40),
    canonicalUrl: resolve(document.querySelector('link[rel="canonical"]')?.getAttribute('href'), baseUrl),
    excerpt: meta('description', 'og:description'),
  };
};

const bodyOf = (document) => document.querySelector('body')?.innerHTML ?? '';

const textOf = (document) => document.querySelector('body')?.textContent ?? '';

const plainText = (text) =>
  text
    .split('\n')
    .map((line) => line.replaceAll(/[^\S\n]+/g, ' ').trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

const oneLine = (text, most) => {
  const line = text?.replaceAll(/\s+/g, ' ').trim().slice(0, most).toWellFormed();
  return line ? line : null;
};

const resolve = (address, base) => (address ? (URL.parse(address, base)?.href ?? null) : null);
