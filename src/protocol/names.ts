import { z } from 'zod';

/** A tool's name: a letter of any script, then up to 63 letters, digits, `_`, `.` or `-`. */
export const ToolName = z.string().regex(/^\p{L}[\p{L}\p{N}_.-]{0,63}$/u, {
  error: 'must be a letter followed by at most 63 letters, digits, "_", "." or "-"',
});

export const CommandName = z.string().regex(/^\p{L}[\p{L}\p{N}_.-]{0,127}$/u, {
  error: 'must be a letter followed by at most 127 letters, digits, "_", "." or "-"',
});

/** §5.10: extension keys carry a namespace, such as `vcp.schedule` or `vendor.example`. */
export const ExtensionKey = z.string().regex(/^[A-Za-z][A-Za-z0-9-]*(\.[A-Za-z0-9_-]+)+$/, {
  error: 'an extension key needs a namespace, such as "vendor.example" (§5.10)',
});

export const Extensions = z.record(ExtensionKey, z.unknown()).meta({ description: 'Namespaced extensions (§5.10).' });
export type Extensions = z.infer<typeof Extensions>;
