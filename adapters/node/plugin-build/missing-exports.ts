/** What a module in AssemblyScript has to export by its source; the compiler sees to `memory`. */
export const missingExports = (bytes: Uint8Array): string[] => {
  const found = WebAssembly.Module.exports(new WebAssembly.Module(new Uint8Array(bytes)));
  return found.some(({ kind, name }) => kind === 'function' && name === 'invoke')
    ? []
    : [
        'assembly/index.ts does not export the function "invoke", which a call begins with: ' +
          'export function invoke(): i32 { return serve((call) => …); }',
      ];
};
