/** One kind of thing that ordinary consumers do not read (§19.3), and how it looks in text. */
type TextRule = { readonly reason: string; readonly pattern: RegExp; readonly replacement: string };

const SECRET = 'secret';
const PATH = 'local path';
const ADDRESS = 'private address';
const ENVIRONMENT = 'environment';

const hide = (reason: string, pattern: RegExp): TextRule => ({ reason, pattern, replacement: `[redacted: ${reason}]` });
/** Keeps what the first group matched, such as the name of a header. */
const hideAfter = (reason: string, pattern: RegExp): TextRule => ({
  reason,
  pattern,
  replacement: `$1[redacted: ${reason}]`,
});

/** A value in quotes, closed or cut off, or a run of characters without white space. The quotes stay. */
const VALUE = String.raw`(?!\[redacted)(?:(?<=")[^"\r\n]{1,4096}|(?<=')[^'\r\n]{1,4096}|(?<!["'])[^\s"'&,;(){}\[\]]{3,4096})`;
const NAMES = [
  'pass(?:word|wd|phrase)s?',
  'pwd',
  'secret',
  '(?:api|access|secret|private|ssh|signing|encryption)[_-]?key(?:[_-]?id)?',
  '(?:access|refresh|auth|id|bot|bearer|session|csrf)[_-]?token',
  'session[_-]?id',
  'connection[_-]?string',
].join('|');
/** What passwords are called elsewhere; short words only where they stand alone. */
const FOREIGN_NAMES = [
  'passw[oö]rter',
  'passwort',
  'kennwort',
  'wachtwoord',
  'lösenord',
  'contrase(?:ñ|n\u0303|n)as?',
  'mots? de passe',
  'парол[ья]',
  String.raw`(?<!\p{L})(?:senha|mdp|hasło|heslo|şifre)`,
].join('|');
const FOREIGN_SIGN = String.raw`[^\s"'&,;(){}\[\]]`;
/** Behind a colon prose may follow: a digit or a sign of few sentences tells a password from it. */
const LIKE_PASSWORD = String.raw`(?=${FOREIGN_SIGN}{0,64}(?:\d|[@#$%^*+=_~|]|[!?][A-Za-z\d]))`;
/** These languages put no spaces between words, so that a value is what is ASCII and ends where their words go on. */
const EASTERN_NAMES = '密[码碼钥鑰]|私[钥鑰]|口令|令牌|パスワード|秘密鍵|비밀번호';
const EASTERN_SIGN = String.raw`[!#-%*-+\--:<-Z\\^-z|~]`;

/** Roots under which a path is one of this host. `/v1/users` is not; `/data/…` is how a pointer into a result begins. */
const ROOTS =
  'home|root|Users|etc|var|tmp|opt|usr|mnt|srv|private|proc|sys|dev|app|work|workspace|Volumes|nix|run|boot|lib|bin|sbin';
const PATH_CHARACTER = String.raw`[^\s"'<>|:*?;,()[\]{}]`;
/** Quotes tell where a path with spaces ends: from right behind the first to right before its like, in one line. */
const quoted = (begin: string, sign: string): string =>
  ['"', "'", '`']
    .map((quote) => String.raw`(?<=${quote})${begin}(?:(?!${quote})${sign}){1,1024}(?=\\{0,4}${quote})`)
    .join('|');
const QUOTED_CHARACTER = String.raw`[^\r\n\t"<>|:*?;\\]`;
const WINDOWS_ROOT = String.raw`[A-Za-z]:(?:\\{1,4}|/(?!/))`;
const WINDOWS_CHARACTER = String.raw`(?:${QUOTED_CHARACTER}|\\(?!["'${'`'}]))`;
const WINDOWS_PATH = String.raw`(?<!\w)[A-Za-z]:[\\/](?!\/)(?:[^\s"'<>|:*?;,\\/]{1,255}[\\/]?){1,64}`;

/**
 * Every quantifier is bounded, and a pattern that can fail late starts only where a word starts, so the time that a
 * text takes grows with its length and with nothing else. The unit tests measure that on hostile texts.
 */
const RULES: readonly TextRule[] = [
  hide(
    SECRET,
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.()]|-(?!----)){0,16384}(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
  ),
  // Vendors' keys, by their fixed beginnings.
  hide(SECRET, /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g),
  hide(SECRET, /\bsk-[A-Za-z0-9_-]{20,4096}/g),
  hide(SECRET, /\b[rsp]k_(?:live|test)_[A-Za-z0-9]{10,256}/g),
  hide(SECRET, /\b(?:gh[pousr]_[A-Za-z0-9]{36,256}|github_pat_[A-Za-z0-9_]{40,256}|glpat-[A-Za-z0-9_-]{20,256})/g),
  hide(SECRET, /\bxox[abeprs]-[A-Za-z0-9-]{10,256}/g),
  hide(SECRET, /\bAIza[0-9A-Za-z_-]{35}/g),
  hide(SECRET, /\b(?:vcp|npm|hf|pypi)_[A-Za-z0-9_-]{24,256}/g),
  hide(SECRET, /\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,256}/g),
  hide(SECRET, /\bdo[opr]_v1_[a-f0-9]{32,256}/g),
  hide(SECRET, /(?<![\w-])eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{10,8192}/g),
  // Headers and assignments, as logs and messages quote them; the name stays readable.
  hideAfter(
    SECRET,
    /(\b(?:(?:proxy-)?authorization|(?:set-)?cookie)["']?\s{0,4}[:=]\s{0,4}["']?)(?!\[redacted)(?:(?<=")[^"\r\n]{1,8192}|(?<=')[^'\r\n]{1,8192}|(?<!["'])[^\s"'][^\r\n]{0,8191})/gi,
  ),
  // A digit, an `=` or a capital inside a word tells credentials from prose such as "basic understanding".
  hideAfter(
    SECRET,
    /\b((?:[Bb]earer|BEARER|[Bb]asic|BASIC)\s{1,4})(?=[A-Za-z._~+/-]{0,4096}(?:[0-9=]|[a-z][A-Z]))[A-Za-z0-9._~+/=-]{12,8192}/g,
  ),
  hide(SECRET, /\bDigest\s{1,4}username=[^\r\n]{1,4096}/g),
  hideAfter(
    SECRET,
    new RegExp(
      String.raw`((?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]{0,64}?(?:${NAMES})["']?\s{0,4}[:=：＝]\s{0,4}["']?)${VALUE}`,
      'gi',
    ),
  ),
  hideAfter(
    SECRET,
    new RegExp(
      String.raw`((?:${FOREIGN_NAMES})["']?\s{0,4}[:=：＝]\s{0,4}["']?)(?!\[redacted)(?:(?<=")[^"\r\n]{1,4096}|(?<=')[^'\r\n]{1,4096}|(?<!["'])(?:(?<=[=＝]\s{0,4})|${LIKE_PASSWORD})${FOREIGN_SIGN}{4,4096})`,
      'giu',
    ),
  ),
  hideAfter(
    SECRET,
    new RegExp(
      String.raw`((?:${EASTERN_NAMES})["']?\s{0,4}(?:[:=：＝]|[是为為은는])\s{0,4}["']?)(?!\[redacted)(?:(?<=")[^"\r\n]{1,4096}|(?<=')[^'\r\n]{1,4096}|(?<!["'])(?=${EASTERN_SIGN}{0,64}(?:\d|[@#$%^*+=_~|]|[!?][A-Za-z\d]|[a-z][A-Z]))${EASTERN_SIGN}{4,4096}(?!${EASTERN_SIGN}|\p{L}))`,
      'gu',
    ),
  ),
  // A bare "token" is a word of prose too: its value has to look like one.
  hideAfter(
    SECRET,
    /((?<![A-Za-z0-9])[A-Za-z0-9_-]{0,64}?token["']?\s{0,4}[:=]\s{0,4}["']?)(?=[A-Za-z._~+/-]{0,4096}\d)[A-Za-z0-9._~+/=-]{8,4096}/gi,
  ),
  // Parameters of an address, also as HTML, JSON and other addresses quote it.
  hideAfter(
    SECRET,
    /((?:[?&]|&amp;|\\u0026|%3F|%26)(?:key|token|sig|signature|code|auth|password|secret|[A-Za-z0-9_-]{1,64}[_-](?:key|token|secret|signature))(?:=|%3D))(?!\[redacted)[^&#\s"'<>]{1,4096}/gi,
  ),
  // A password that nobody encoded may hold an `@` or a colon: up to the last `@` of the authority.
  hideAfter(SECRET, /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)(?!\[redacted)[^\s/:]{0,256}:[^\s/]{1,256}(?=@)/gi),
  // Paths of this host.
  hide(PATH, /\bfile:\/\/[^\s"'<>)]{1,4096}/gi),
  hide(PATH, new RegExp(`${quoted(WINDOWS_ROOT, WINDOWS_CHARACTER)}|${WINDOWS_PATH}`, 'g')),
  hide(
    PATH,
    new RegExp(
      String.raw`${quoted(`/{1,4}(?:${ROOTS})/`, QUOTED_CHARACTER)}|(?:(?<![\w.~/-])\/|(?<![\w.~/:-])\/{2,4})(?:${ROOTS})(?:\/${PATH_CHARACTER}{1,255}){1,64}`,
      'g',
    ),
  ),
  hide(PATH, /\\\\[A-Za-z0-9._-]{1,64}\\[^\s"'<>|:*?;,]{1,1024}/g),
  // Addresses of networks that are nobody else's business.
  hide(
    ADDRESS,
    /(?<![\w.])(?:(?:10|127)(?:\.\d{1,3}){3}|(?:169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(?:\.\d{1,3}){2})(?::\d{1,5})?(?!\.?\d)/g,
  ),
  hide(ADDRESS, /(?<![\w.])0\.0\.0\.0:\d{1,5}(?!\d)|(?<=:\/\/)0\.0\.0\.0(?!\.?\d)/g),
  hide(ADDRESS, /(?<![\w:])\[?(?:::1|(?:f[cd][0-9a-f]{2}|fe80)(?::[0-9a-f]{0,4}){2,7})\]?(?![\w:])/gi),
  hide(ADDRESS, /(?<=:\/\/)localhost(?![\w-])(?::\d{1,5})?|\blocalhost:\d{1,5}\b/gi),
  hide(
    ADDRESS,
    /(?<![\w.-])(?:\w[\w-]{0,62}\.){1,8}(?:internal|localdomain|intranet|home\.arpa|(?:local|lan)(?!\.\w))(?![\w-])(?::\d{1,5})?/gi,
  ),
];

/** Lines of assignments, as `env` prints a process environment, and what tells that they are one. */
const DUMP = /(?:^[A-Za-z_]\w{0,127}=[^\r\n]{0,4096}(?:\r?\n|$)){4,512}/gm;
const OF_A_PROCESS = /^(?:PATH|HOME|PWD|USER|SHELL|LOGNAME|SystemRoot|USERPROFILE)=/m;
const ENVIRONMENT_MARK = `[redacted: ${ENVIRONMENT}]\n`;

export type RedactedText = { readonly text: string; readonly reasons: readonly string[] };

const NOTHING_GIVEN: ReadonlySet<string> = new Set();

/**
 * Takes secrets, paths of the host and private addresses out of a text; `null` when there was nothing to take out. Paths
 * and addresses that are `given` stay, whole ones only: never a secret, and never what lies in a known path.
 */
export const redactText = (
  text: string,
  knownPaths: readonly string[] = [],
  given: ReadonlySet<string> = NOTHING_GIVEN,
): RedactedText | null => {
  if (text.length < 3) return null;
  let redacted = text;
  const reasons = new Set<string>();
  for (const path of knownPaths) {
    const without = withoutPath(redacted, path);
    if (without === redacted) continue;
    redacted = without;
    reasons.add(PATH);
  }
  if (HINT.test(redacted)) {
    const withoutDumps = redacted.replace(DUMP, (dump) => (OF_A_PROCESS.test(dump) ? ENVIRONMENT_MARK : dump));
    if (withoutDumps !== redacted) {
      redacted = withoutDumps;
      reasons.add(ENVIRONMENT);
    }
    for (const { reason, pattern, replacement } of RULES) {
      const without =
        reason === SECRET || given.size === 0
          ? redacted.replace(pattern, replacement)
          : redacted.replace(pattern, (found) => (given.has(found) ? found : replacement));
      if (without === redacted) continue;
      redacted = without;
      reasons.add(reason);
    }
  }
  return reasons.size === 0 ? null : { text: redacted, reasons: [...reasons] };
};

/** The paths and private addresses that a text names, as the rules find them. */
export const hostPartsOf = (text: string): readonly string[] =>
  HINT.test(text)
    ? RULES.filter(({ reason }) => reason !== SECRET).flatMap(({ pattern }) =>
        [...text.matchAll(pattern)].map(([found]) => found),
      )
    : [];

/** Every rule needs one of these; most texts have none, and one look is cheaper than twenty. */
const HINT =
  /[/\\]|[?&]\w|%3F|%26|-----|AKIA|ASIA|sk-|[rsp]k_(?:live|test)|gh[pousr]_|github_pat_|(?:vcp|npm|hf|pypi)_|glpat|xox|AIza|eyJ|authorization|cookie|bearer|basic|digest|pass|pwd|secret|key|token|session|connection|\d\.\d{1,3}\.\d|::1|f[cd][0-9a-f]{2}:|fe80:|localhost|internal|localdomain|intranet|home\.arpa|\.local|\.lan|SG\.|do[opr]_v1|kennwort|wachtwoord|lösenord|contrase|senha|mdp|hasło|heslo|şifre|парол|密[码碼钥鑰]|私[钥鑰]|口令|令牌|パスワード|秘密鍵|비밀번호/i;

/** The directories of this server, whole or as the beginning of a longer path; `/database` does not begin with `/data`. */
const withoutPath = (text: string, path: string): string => {
  let from = text.indexOf(path);
  if (from === -1) return text;
  let result = '';
  let done = 0;
  for (; from !== -1; from = text.indexOf(path, Math.max(done, from + 1))) {
    const end = from + path.length;
    if (/[\w-]/.test(text.charAt(end)) || /[\w.~-]/.test(text.charAt(from - 1))) continue;
    result += `${text.slice(done, from)}[redacted: ${PATH}]`;
    done = end + restOfPath(text.slice(end, end + 4_097), text.charAt(from - 1));
  }
  return result + text.slice(done);
};

/** Characters of a path behind its known directory: in quotes up to the closing one, otherwise up to white space. */
const restOfPath = (behind: string, quote: string): number => {
  const inQuotes = /["'`]/.test(quote)
    ? new RegExp(String.raw`^/(?:(?!${quote})${QUOTED_CHARACTER}){0,1024}(?=\\{0,4}${quote})`)
    : null;
  const found = inQuotes?.exec(behind) ?? /^\/[^\s"'<>|:*?;,()[\]{}]{0,4096}/.exec(behind);
  return found?.[0].length ?? 0;
};

const ENVIRONMENT_NAMES = new Set(['env', 'environ', 'environment', 'processenv']);

/** Whether a field of this name with this value is a snapshot of a process environment. */
export const isEnvironmentSnapshot = (name: string, value: object): boolean => {
  if (Array.isArray(value) || !ENVIRONMENT_NAMES.has(name.replaceAll(/[_\-\s.]/g, '').toLowerCase())) return false;
  return ['PATH', 'HOME', 'USER', 'Path', 'PWD'].some((variable) => Object.hasOwn(value, variable));
};
