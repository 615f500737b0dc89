/** Which media an interface of a vendor takes in. */
export type MediaRules = {
  /** Media types that it takes, by how they are carried. */
  readonly byUrl: readonly string[];
  readonly byBytes: readonly string[];
};
