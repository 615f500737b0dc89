/** Tests by file: titles of tests or of whole `describe` groups, each exact or as its beginning. */
export type Proof = { readonly [file: string]: readonly string[] };

/**
 * A section and what proves it. `planned` says in a few words what is not built; a section of which a part is built
 * says in `open` what is missing beside its tests.
 */
export type Requirement = { readonly says: string } & (
  | { readonly tests: Proof; readonly open?: string }
  | { readonly planned: string }
);

/** Requirements by section, such as `§5.5`. */
export type Requirements = { readonly [section: string]: Requirement };
