import { RE2JS } from 're2js';
import { PluginError } from '../../plugin-kit/node/vcp-plugin.mjs';

/**
 * Compiles a glob to `matches(path)`: `*` and `?` within one name, `**` over folders, `[a-z]`, `{a,b}`. A glob without
 * "/" means a name at any depth. It runs on an engine that takes linear time, whatever the pattern.
 */
export function compileGlob(glob, target) {
  const source = glob.includes('/') ? translate(glob.replace(/^\.?\//, '')) : `(?:.*/)?${translate(glob)}`;
  let pattern;
  try {
    pattern = RE2JS.compile(`^(?:${source})$`, RE2JS.DOTALL);
  } catch {
    throw new PluginError(
      'FILES.PATTERN_INVALID',
      `"${glob.slice(0, 100)}" is no glob. Write it like "*.md" or "src/**/*.{ts,js}".`,
      {
        target,
      },
    );
  }
  return (path) => pattern.matches(path);
}

function translate(glob) {
  let source = '';
  let braces = 0;
  for (let index = 0; index < glob.length; index += 1) {
    const rest = glob.slice(index);
    const character = String.fromCodePoint(glob.codePointAt(index));
    const isAtStart = index === 0 || glob[index - 1] === '/';
    if (isAtStart && rest.startsWith('**/')) {
      source += '(?:.*/)?';
      index += 2;
    } else if (rest.startsWith('**')) {
      source += '.*';
      index += 1;
    } else if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (character === '[' && /^\[[!^]?[^\]/]+\]/.test(rest)) {
      const [set] = /^\[[!^]?[^\]/]+\]/.exec(rest);
      source += set.replace(/^\[[!^]/, '[^/').replaceAll('\\', '\\\\');
      index += set.length - 1;
    } else if (character === '{') {
      source += '(?:';
      braces += 1;
    } else if (character === '}' && braces > 0) {
      source += ')';
      braces -= 1;
    } else if (character === ',' && braces > 0) source += '|';
    else {
      source += RE2JS.quote(character);
      index += character.length - 1;
    }
  }
  return source + ')'.repeat(braces);
}
