import { z } from 'zod';
import { AiAdvice } from './ai-advice.ts';
import { PluginError } from './error.ts';
import { Extensions } from './names.ts';
import { Presentation } from './presentation.ts';
import { ResourceDraft } from './resource.ts';
import { statusFields } from './status.ts';
import { Warning } from './warning.ts';

const byStatus = statusFields(PluginError);

const rest = {
  resources: z.array(ResourceDraft).default([]),
  warnings: z.array(Warning).default([]),
  presentation: Presentation.nullable().default(null),
  aiAdvice: AiAdvice.nullable().default(null),
  extensions: Extensions.default({}),
};

/** §5.1: fields that only the core may write. A payload that carries one is refused by name. */
export const CORE_ONLY_FIELDS = ['id', 'protocol', 'tool', 'execution', 'actor', 'origin', 'record', 'policy'] as const;

/** What a plugin returns (§5.2). A plugin never answers `timeout`: only the core knows its deadline. */
export const PluginResultPayload = z
  .discriminatedUnion('status', [
    z.strictObject({ ...byStatus.success, ...rest }),
    z.strictObject({ ...byStatus.accepted, ...rest }),
    z.strictObject({ ...byStatus.partial, ...rest }),
    z.strictObject({ ...byStatus.error, ...rest }),
    z.strictObject({ ...byStatus.cancelled, ...rest }),
  ])
  .meta({ id: 'plugin-result-payload', title: 'PluginResultPayload', description: 'What a plugin returns (§5.2).' });
export type PluginResultPayload = z.infer<typeof PluginResultPayload>;
