import { PluginError } from './plugin-error.ts';
import { hostAnswer, takeBytes } from './native.ts';

type HostFunction = Parameters<typeof hostAnswer>[0];

type Answer = {
  ok?: unknown;
  error?: { code: string; message: string };
  bytes?: { block: number; length: number };
};

/**
 * Asks the host. What it refuses is thrown as a PluginError: FORBIDDEN when the permission is missing, else the host's
 * code in a namespace, such as HOST.UNKNOWN_HOST.
 */
export function callHost<Ok>(name: HostFunction, request: object, bytes?: Uint8Array): { ok: Ok; bytes: Uint8Array } {
  const answer = JSON.parse(hostAnswer(name, JSON.stringify(request), bytes)) as Answer;
  const given = answer.bytes === undefined ? new Uint8Array() : takeBytes(answer.bytes.block);
  if (answer.error !== undefined) throw refusal(answer.error);
  return { ok: answer.ok as Ok, bytes: given };
}

function refusal({ code, message }: { code: string; message: string }): PluginError {
  if (code === 'FORBIDDEN') return new PluginError(code, message);
  // Codes of a result are standard ones or carry a namespace.
  return new PluginError(code.includes('.') ? code : `HOST.${code}`, message, { category: 'dependency' });
}
