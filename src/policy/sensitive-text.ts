/** One kind of thing that ordinary consumers do not read (§19.3), and how it looks in text. Each pattern is linear. */
type TextRule = { readonly reason: string; readonly pattern: RegExp; replacement(match: string): string };

const hide = (reason: string, pattern: RegExp): TextRule => ({ reason, pattern, replacement: () => `[redacted: ${reason}]` });

const SECRET = 'secret';
const PATH = 'local path';

const RULES: readonly TextRule[] = [
  hide(SECRET, /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g),
  // Vendors' keys, by their fixed beginnings.
  hide(SECRET, /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g),
  hide(SECRET, /\bsk-[A-Za-z0-9_-]{20,}/g),
  hide(SECRET, /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{20,})/g),
  hide(SECRET, /\bxox[abeprs]-[A-Za-z0-9-]{10,}/g),
  hide(SECRET, /\bAIza[0-9A-Za-z_-]{35}/g),
  hide(SECRET, /\b(?:vcp|npm|hf|pypi)_[A-Za-z0-9_-]{24,}/g),
  hide(SECRET, /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g),
  // Headers and assignments, as logs and messages quote them; the name stays readable.
  {
    reason: SECRET,
    pattern: /\b(authorization|proxy-authorization|cookie|set-cookie)(["']?\s*[:=]\s*["']?)(?!\[redacted)[^\s"'][^\r\n"']{0,4095}/gi,
    replacement: (match) => match.replace(/^([\w-]+["']?\s*[:=]\s*["']?)[^]*$/, `$1[redacted: ${SECRET}]`),
  },
  {
    reason: SECRET,
    // A digit, an `=` or a capital inside a word tells credentials from prose such as "basic understanding".
    pattern: /\b(?:[Bb]earer|BEARER|[Bb]asic|BASIC)\s+(?=[A-Za-z._~+/-]*(?:[0-9=]|[a-z][A-Z]))[A-Za-z0-9._~+/=-]{12,}/g,
    replacement: (match) => match.replace(/\s+[^]*$/, ` [redacted: ${SECRET}]`),
  },
  {
    reason: SECRET,
    pattern: /\b(?:[A-Za-z0-9]{1,32}[_-]){0,4}(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|private[_-]?key|client[_-]?secret)["']?\s{0,4}[:=]\s{0,4}["']?(?!\[redacted)[^\s"'&,;]{3,1024}/gi,
    replacement: (match) => match.replace(/([:=]\s{0,4}["']?)[^:=]*[^]*$/, `$1[redacted: ${SECRET}]`),
  },
  {
    reason: SECRET,
    pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/:@]{1,256}:[^\s/@]{1,256}@/gi,
    replacement: (match) => match.replace(/:\/\/[^]*$/, `://[redacted: ${SECRET}]@`),
  },
  // Paths of this host. Only under well-known roots: `/v1/users` is not a path of ours, and `/data/…` is how a JSON
  // Pointer into a result begins; the server's own data directory is among the known paths.
  hide(PATH, /\bfile:\/\/[^\s"'<>)]{1,1024}/gi),
  hide(
    PATH,
    /(?<![\w.~:/-])\/(?:home|root|Users|etc|var|tmp|opt|usr|mnt|srv|private|proc|sys|dev|app|work|workspace|Volumes|nix|run|boot|lib|bin|sbin)(?:\/[^\s"'<>|:*?;,()[\]{}]{1,255}){1,64}/g,
  ),
  hide(PATH, /(?<![\w])[A-Za-z]:\\(?:[^\s"'<>|:*?;,\\]{1,255}\\?){1,64}/g),
  hide(PATH, /\\\\[A-Za-z0-9._-]{1,64}\\[^\s"'<>|:*?;,]{1,1024}/g),
];

export type RedactedText = { readonly text: string; readonly reasons: readonly string[] };

/** Takes secrets and paths of the host out of a text; `null` when there was nothing to take out. */
export const redactText = (text: string, knownPaths: readonly string[] = []): RedactedText | null => {
  if (text.length < 6) return null;
  let redacted = text;
  const reasons = new Set<string>();
  for (const path of knownPaths) {
    if (!redacted.includes(path)) continue;
    redacted = redacted.replaceAll(path, `[redacted: ${PATH}]`);
    reasons.add(PATH);
  }
  if (mayHoldSomething(redacted)) {
    for (const rule of RULES) {
      redacted = redacted.replace(rule.pattern, (match) => {
        reasons.add(rule.reason);
        return rule.replacement(match);
      });
    }
  }
  return reasons.size === 0 ? null : { text: redacted, reasons: [...reasons] };
};

/** Every rule needs one of these; most texts have none, and one look is cheaper than fifteen. */
const HINT = /[/\\]|-----|AKIA|ASIA|sk-|gh[pousr]_|github_pat_|(?:vcp|npm|hf|pypi)_|glpat|xox|AIza|eyJ|authorization|cookie|bearer|basic|passw|pwd|secret|key|token/i;

const mayHoldSomething = (text: string): boolean => HINT.test(text);

const SECRET_NAMES = /^(?:.*(?:password|passwd|passphrase|secret|apikey|privatekey|accesstoken|refreshtoken|authtoken|bearertoken|sessiontoken|sshkey|sshtoken|admincode|connectionstring)|pwd|token|authorization|proxyauthorization|cookies?|setcookie|credentials?)$/;

/** Whether a field of this name holds a secret, whatever its value looks like. */
export const isSecretName = (name: string): boolean => {
  const plain = name.replaceAll(/[_\-\s.]/g, '').toLowerCase();
  return plain.length <= 64 && SECRET_NAMES.test(plain);
};

const ENVIRONMENT_NAMES = new Set(['env', 'environ', 'environment', 'processenv']);

/** Whether a field of this name with this value is a snapshot of a process environment. */
export const isEnvironmentSnapshot = (name: string, value: object): boolean => {
  if (Array.isArray(value) || !ENVIRONMENT_NAMES.has(name.replaceAll(/[_\-\s.]/g, '').toLowerCase())) return false;
  return ['PATH', 'HOME', 'USER', 'Path', 'PWD'].some((variable) => Object.hasOwn(value, variable));
};
