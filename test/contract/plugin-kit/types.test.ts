// The types of the kit are written by hand; here the compiler holds them against the protocol.
import { expect, it } from 'vitest';
import type { z } from 'zod';
import {
  PluginError,
  type PluginHandler,
  type PluginResource,
  type PluginResult,
} from '../../../plugin-kit/node/vcp-plugin.mjs';
import { ErrorCategory, PLUGIN_ERROR_CATEGORIES } from '../../../src/protocol/error.ts';
import type { PluginResultPayload } from '../../../src/protocol/plugin-result-payload.ts';
import type { ResourceDraft } from '../../../src/protocol/resource.ts';

type Success = Extract<z.input<typeof PluginResultPayload>, { status: 'success' }>;
type PartialResult = Extract<z.input<typeof PluginResultPayload>, { status: 'partial' }>;

/** zod's types say of an optional field that it may also be there and undefined; ours need not. */
type Defined<T> = T extends object ? { [Key in keyof T]: Defined<Exclude<T[Key], undefined>> } : T;

/** What the protocol takes, a handler may return. */
type Accepts<Field extends keyof PluginResult> =
  Defined<Exclude<Success[Field], undefined>> extends PluginResult[Field] ? true : never;

it('lets a handler return whatever the protocol takes', () => {
  const accepted: [Accepts<'resources'>, Accepts<'warnings'>, Accepts<'presentation'>, Accepts<'aiAdvice'>] = [
    true,
    true,
    true,
    true,
  ];
  const status: PartialResult['status'] extends NonNullable<PluginResult['status']> ? true : never = true;
  const everyField: Exclude<keyof Success, keyof PluginResult> extends never ? true : never = true;
  // `resourceId` names what an in-process module has written already; a process has localPath.
  type Missing = Exclude<keyof z.input<typeof ResourceDraft>, keyof PluginResource | 'resourceId'>;
  const everyPlace: Missing extends never ? true : never = true;
  expect([...accepted, status, everyField, everyPlace]).not.toContain(false);
});

it('lets a handler say what its arguments are, and be asynchronous', async () => {
  const handler: PluginHandler = (args: { text: string }) => ({ data: args.text.length });
  const asynchronous: PluginHandler = async (args: { text: string }, call) => {
    call.progress({ progress: 0.5 });
    call.signal.throwIfAborted();
    return { data: args.text, resources: [{ id: 'a', localPath: 'a.txt' }] };
  };
  expect([typeof handler, typeof asynchronous]).toEqual(['function', 'function']);
});

it('names the categories that a plugin may give', () => {
  const given: NonNullable<ConstructorParameters<typeof PluginError>[2]>['category'][] = [
    'domain',
    'validation',
    'dependency',
  ];
  expect(new Set(given)).toEqual(PLUGIN_ERROR_CATEGORIES);
  expect(given.every((category) => ErrorCategory.safeParse(category).success)).toBe(true);
});

it('is an Error with its code and its cause', () => {
  const cause = new Error('underneath');
  const error = new PluginError('FILES.NOT_FOUND', 'no such file', { cause });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name: 'PluginError', code: 'FILES.NOT_FOUND', message: 'no such file', cause });
});
