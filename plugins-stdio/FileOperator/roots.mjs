import { realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { PluginError } from '../../plugin-kit/node/vcp-plugin.mjs';

const NAME = /^[\p{L}\p{N}_-]{1,64}$/u;
const DEFAULT_ROOT_NAME = 'files';

/**
 * The folders that calls may reach: `{ name, path, readOnly }` each. `text` is the configuration,
 * `name=/path, other=/path:ro` or a JSON object `{"name": "/path", "other": {"path": "/path", "readOnly": true}}`;
 * without it there is one root, `files`, in the plugin's own data directory, which is made on first use.
 */
export function readRoots(text, dataDirectory) {
  if (text === undefined || text.trim() === '') {
    if (!dataDirectory) throw invalid('there is neither FILE_OPERATOR_ROOTS nor a data directory');
    return [{ name: DEFAULT_ROOT_NAME, path: join(dataDirectory, 'files'), readOnly: false, isOwn: true }];
  }
  const roots = text.trim().startsWith('{') ? rootsOfJson(text) : rootsOfList(text);
  if (roots.length === 0) throw invalid('it names no root');
  for (const [index, root] of roots.entries()) {
    if (typeof root.path === 'string' && !root.path.isWellFormed()) {
      throw invalid(`the path of entry ${index + 1} holds half of a surrogate pair`);
    }
    if (!NAME.test(root.name)) throw invalid(`entry ${index + 1} has no usable name (letters, digits, "_" and "-")`);
    if (typeof root.path !== 'string' || !isAbsolute(root.path)) throw invalid(`"${root.name}" has no absolute path`);
    if (roots.findIndex(({ name }) => name === root.name) !== index) throw invalid(`"${root.name}" is named twice`);
  }
  refuseOpenBackDoors(roots);
  return roots;
}

/** The root that a call means. The error names the roots there are, never where they are. */
export function chooseRoot(roots, name, target = 'root') {
  const allowed = roots.map((root) => root.name);
  if (name === undefined) {
    if (roots.length === 1) return roots[0];
    throw new PluginError('MISSING_ARGUMENT', `"${target}" is missing. Give one of the roots: ${allowed.join(', ')}.`, {
      target,
      details: { allowed },
    });
  }
  const root = roots.find((candidate) => candidate.name === name);
  if (root) return root;
  throw new PluginError('FILES.ROOT_UNKNOWN', `"${name}" is no root. The roots are: ${allowed.join(', ')}.`, {
    target,
    details: { allowed },
  });
}

/** Makes the root that belongs to the plugin itself. Others are the operator's: a missing one is a fault. */
export async function prepareRoot(root) {
  if (root.isOwn) await mkdir(root.path, { recursive: true });
}

function rootsOfList(text) {
  return text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [, name, path, mode] = /^\s*([^=]*?)\s*=\s*(.*?)(:ro|:rw)?\s*$/.exec(part) ?? [null, '', ''];
      return { name, path, readOnly: mode === ':ro' };
    });
}

function rootsOfJson(text) {
  let document;
  try {
    document = JSON.parse(text);
  } catch {
    throw invalid('it begins like JSON and is not');
  }
  return Object.entries(document).map(([name, value]) => {
    const { path, readOnly = false } = typeof value === 'string' ? { path: value } : (value ?? {});
    return { name, path, readOnly: readOnly === true };
  });
}

/** A read-only root inside one that may be written would be protected in name only. */
function refuseOpenBackDoors(roots) {
  for (const closed of roots.filter(({ readOnly }) => readOnly)) {
    for (const open of roots.filter(({ readOnly }) => !readOnly)) {
      const way = relative(realPathOf(open.path), realPathOf(closed.path));
      if (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)) {
        throw invalid(`the read-only root "${closed.name}" lies inside "${open.name}", which may be written`);
      }
    }
  }
}

/** Where a path leads, links followed; what is not there yet is taken as it is written. */
function realPathOf(path) {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPathOf(dirname(path)), basename(path));
  }
}

function invalid(reason) {
  return new PluginError(
    'FILES.ROOTS_INVALID',
    `The operator has to mend FILE_OPERATOR_ROOTS: ${reason}. It reads like "work=/srv/work, docs=/srv/docs:ro".`,
    { details: { variable: 'FILE_OPERATOR_ROOTS' } },
  );
}
