/** The part of `Deno.permissions` that is asked. */
export type DenoPermissions = {
  querySync(descriptor: { readonly name: 'run' }): { readonly state: 'granted' | 'denied' | 'prompt' };
};

/**
 * Why no processes are started, or null: a permission that names some programs is one to start processes. Nobody is
 * asked for it later, since a server has nobody at its terminal.
 */
export const noProcessesOn = (permissions: DenoPermissions): string | null =>
  permissions.querySync({ name: 'run' }).state === 'granted'
    ? null
    : 'this server may start none: give Deno --allow-run ("deno task start"), or leave the plugin out';
