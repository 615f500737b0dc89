import { createVcpClient, type VcpClient, type VcpClientOptions } from './vcp-client.ts';

/** The client of `createVcpClient`, for those who write `new VCPClient(…)`, as the specification's overview does. */
export const VCPClient = function VCPClient(this: VcpClient, options: VcpClientOptions) {
  Object.assign(this, createVcpClient(options));
} as unknown as new (options: VcpClientOptions) => VcpClient;
export type VCPClient = VcpClient;
