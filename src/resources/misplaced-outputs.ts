import type { Issue } from '../lib/issue.ts';
import { resolveJsonPointer } from '../lib/json-pointer.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';

/** §15: where the manifest says that a resource stands, one of that kind and role stands, or nothing does. */
export const misplacedOutputs = (
  data: JsonValue,
  command: InvocationCommand,
  resources: readonly ResourceDescriptor[],
): Issue[] =>
  (command.resourceOutputs ?? []).flatMap((output): Issue[] => {
    const pointer = `/data${output.field}`;
    const value = resolveJsonPointer(data, output.field);
    if (value === undefined || value === null) return [];
    const id = (value as { $resource?: unknown }).$resource;
    const resource = resources.find((candidate) => candidate.id === id);
    if (resource === undefined)
      return [{ pointer, message: 'must be a resource reference, as resourceOutputs declares' }];
    if (output.kind !== undefined && resource.kind !== output.kind) {
      return [{ pointer, message: `must be a resource of kind "${output.kind}", not "${resource.kind}"` }];
    }
    if (output.role !== undefined && resource.role !== output.role) {
      return [{ pointer, message: `must be a resource with role "${output.role}", not "${resource.role}"` }];
    }
    return [];
  });
