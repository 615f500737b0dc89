import { z } from 'zod';
import { KeyRole } from './api-keys.ts';
import { InvocationSource } from './invocation.ts';

const ToolPattern = z.string().regex(/^(?:\*|\p{L}[\p{L}\p{N}_.-]{0,63}(?::\p{L}[\p{L}\p{N}_.-]{0,127})?)$/u, {
  error: 'must be "*", a tool such as "Tool", or a command such as "Tool:Command"',
});

const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).optional();

/** One rule. It fits a call when everything that it names does; what is left out fits all. */
export const ApprovalRule = z
  .strictObject({
    tools: z.array(ToolPattern).min(1),
    roles: listOf(KeyRole).meta({ description: 'The caller’s key has one of these roles.' }),
    keys: listOf(z.string().min(1).max(128)).meta({ description: 'The caller’s key has one of these ids.' }),
    sources: listOf(InvocationSource).meta({ description: 'The call came this way.' }),
    effect: z.enum(['require', 'allow', 'reject']),
    reason: z.string().min(1).max(1_000).optional().meta({
      description: 'Told to the approver of a call that needs approval, and to the caller of one that is rejected.',
    }),
    overrideManifest: z.boolean().default(false).meta({
      description: 'With "allow": the call needs no approval even where the manifest asks for it.',
    }),
  })
  .refine(({ effect, overrideManifest }) => effect === 'allow' || !overrideManifest, {
    path: ['overrideManifest'],
    error: 'is for the effect "allow"',
  });
export type ApprovalRule = z.infer<typeof ApprovalRule>;

/** `VCP_APPROVAL_RULES_FILE`: the first rule that fits a call decides. */
export const ApprovalRulesFile = z
  .strictObject({
    $schema: z.string().optional(),
    version: z.literal(1, { error: 'must be 1' }),
    rules: z.array(ApprovalRule).max(1_000),
  })
  .meta({
    id: 'approval-rules',
    title: 'ApprovalRulesFile',
    description: 'Which calls need approval (VCP_APPROVAL_RULES_FILE); the first rule that fits decides.',
  });
export type ApprovalRulesFile = z.infer<typeof ApprovalRulesFile>;
