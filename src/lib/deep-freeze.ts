/** Freezes an acyclic JSON value and all that it holds, and gives it back. */
export const deepFreeze = <T>(root: T): T => {
  if (typeof root !== 'object' || root === null) return root;
  const stack: object[] = [root];
  while (stack.length > 0) {
    const value = stack.pop() as object;
    Object.freeze(value);
    // A frozen value is walked all the same: a plugin may have frozen the shell and not what is in it.
    for (const child of Array.isArray(value) ? value : Object.values(value)) {
      if (typeof child === 'object' && child !== null) stack.push(child as object);
    }
  }
  return root;
};
