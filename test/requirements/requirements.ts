import { consumerRequirements } from './chapters/consumers.ts';
import { pluginRequirements } from './chapters/plugins.ts';
import { qualityRequirements } from './chapters/qualities.ts';
import { resultRequirements } from './chapters/results.ts';
import type { Requirements } from './requirement.ts';

/**
 * What proves each section of the protocol. To extend it, name the test in its section's entry: the file, and the
 * title of a test or a group (`group > title`), whole or its beginning; then take away what `planned` or `open` said.
 */
export const requirements: Requirements = {
  ...resultRequirements,
  ...consumerRequirements,
  ...pluginRequirements,
  ...qualityRequirements,
};
