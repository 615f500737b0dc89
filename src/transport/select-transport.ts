import type { TransportAdapter } from '../ports/transport.ts';
import type { PluginManifest } from '../protocol/manifest.ts';

/** The transports that a runtime has; what is absent cannot be served there. */
export type Transports = {
  readonly direct?: TransportAdapter;
  readonly stdio?: TransportAdapter;
  readonly wasm?: TransportAdapter;
};

/** The transport that a manifest asks for, or null when this runtime has none. */
export const selectTransport = (transports: Transports, manifest: PluginManifest): TransportAdapter | null => {
  const { protocol } = manifest.communication;
  switch (protocol) {
    case 'stdio':
      return transports.stdio ?? null;
    case 'direct':
      return (manifest.entryPoint.type === 'wasm' ? transports.wasm : transports.direct) ?? null;
    default:
      return null;
  }
};
