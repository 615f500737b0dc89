/** What a key may do now, asked by its id: for calls that are made when nobody is there to show the key. */
export type CallerRights = {
  /** Why the key may not use the tool, for people; null when it may. */
  refusalOf(owner: string, toolName: string): string | null;
  /** Whether the key may see what another has left behind. */
  maySee(owner: string, other: string): boolean;
};
