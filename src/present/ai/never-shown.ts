import type { Omission } from '../../lib/sample-json.ts';
import type { CanonicalToolResult } from '../../protocol/canonical-tool-result.ts';
import { leftOut } from '../left-out.ts';

/** What this view has no place for at all. */
export const neverShown = ({ extensions, resources, warnings }: CanonicalToolResult): Omission[] => [
  ...leftOut('/extensions', extensions),
  ...resources.flatMap(({ metadata }, index) => leftOut(`/resources/${index}/metadata`, metadata)),
  ...warnings.flatMap(({ details }, index) => leftOut(`/warnings/${index}/details`, details)),
];
