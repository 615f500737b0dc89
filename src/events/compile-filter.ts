import type { VcpEvent } from '../protocol/event.ts';
import type { EventFilter } from '../protocol/push.ts';

/** A filter made ready for many events. */
export const compileFilter = ({ types, tools, invocations, tasks }: EventFilter): ((event: VcpEvent) => boolean) => {
  const tests = [
    listTest(types, (event) => event.type),
    listTest(tools, (event) => event.toolName),
    listTest(invocations, (event) => event.invocationId),
    listTest(tasks, (event) => event.taskId),
  ].filter((test) => test !== null);
  return (event) => tests.every((passes) => passes(event));
};

const listTest = (list: readonly string[] | undefined, read: (event: VcpEvent) => string | null) => {
  if (list === undefined) return null;
  const wanted: ReadonlySet<string | null> = new Set(list);
  return (event: VcpEvent): boolean => wanted.has(read(event));
};
