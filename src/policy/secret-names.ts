/** The same in other languages. */
const FOREIGN_NAME =
  /(?:passwort|kennwort|wachtwoord|lösenord|contrase[ñn]as?|motdepasse|пароль|密[码碼钥鑰]|私[钥鑰]|口令|令牌|パスワード|秘密鍵|비밀번호)$|^(?:senha|hasło|heslo|şifre)$/;
const SECRET_NAME =
  /(?:password|passwd|passphrase|secret|apikey|accesskey|accesskeyid|secretkey|privatekey|sshkey|signingkey|encryptionkey|sessionid|connectionstring|admincode|(?:access|refresh|auth|api|bearer|session|csrf|xsrf)token)s?$|^(?:idtoken|bottoken|pwd|authorization|proxyauthorization|cookies?|setcookie|credentials?)$/;
/** Tokens that page through a list are meant to be read. */
const PUBLIC_TOKEN = /(?:page|next|prev|previous|continuation|sync|cursor|resume)token$/;

/** What a field's name says of the texts in it: `token` may be a credential or a word, and each text's look decides. */
export type NameKind = 'secret' | 'token' | 'plain';

/** Field names repeat from result to result; those that somebody makes up do not, so there is an end to what is kept. */
const KNOWN_NAMES = 4_096;
const knownNames = new Map<string, NameKind>();

export const nameKindOf = (name: string): NameKind => {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  if (name.length > 128) return 'plain';
  const kind = kindOf(
    name
      .normalize('NFC')
      .replaceAll(/[_\-\s.]/g, '')
      .toLowerCase(),
  );
  if (knownNames.size < KNOWN_NAMES) knownNames.set(name, kind);
  return kind;
};

const kindOf = (plain: string): NameKind => {
  if (SECRET_NAME.test(plain) || FOREIGN_NAME.test(plain)) return 'secret';
  return plain.endsWith('token') && !PUBLIC_TOKEN.test(plain) ? 'token' : 'plain';
};

/** Whether a text looks made up by a machine: a word of prose that a tokenizer found does not. */
export const looksLikeToken = (text: string): boolean =>
  /^[\x21-\x7e]{8,}$/.test(text) &&
  (text.length >= 24 || /\d/.test(text) || (text.length >= 16 && /[a-z][A-Z]|[_+/=.]/.test(text)));
