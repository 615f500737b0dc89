import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { describeApproval, summariseApproval } from '../../approval/describe-approval.ts';
import { InvalidCursor } from '../../lib/record-cursor.ts';
import type { StoredApproval } from '../../ports/approval-store.ts';
import { ApprovalDecision, ApprovalState } from '../../protocol/approval.ts';
import type { DecisionOutcome } from '../../runtime/approval-desk.ts';
import { maySee, mayUseTool, refusalOfTool, seesEverything } from '../access.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { boundedJson, jsonOnly, utf8Body, validated } from '../middleware/json-body.ts';
import { operatorsOnly } from '../middleware/operators-only.ts';
import { problem } from '../problem.ts';

export const ApprovalsQuery = z.strictObject({
  state: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(ApprovalState))
    .optional()
    .meta({ description: 'Only approvals in this state; several with commas.' }),
  limit: z.coerce.number().int().min(1).max(1_000).default(100).meta({ description: 'Most approvals of a page.' }),
  cursor: z.string().max(256).optional().meta({ description: '`nextCursor` of the page before.' }),
});

type Dependencies = Pick<AppDependencies, 'approvals' | 'runtime' | 'limits'>;

/** Calls that need a person's approval: a key sees those of its own calls, operators see all and decide. */
export const approvalRoutes = ({ approvals, runtime, limits }: Dependencies) =>
  new Hono<AppEnvironment>()
    .get('/v1/approvals', validated('query', ApprovalsQuery), async (c) => {
      const identity = c.get('identity');
      const { state, ...query } = c.req.valid('query');
      try {
        const owner = seesEverything(identity) ? null : identity.id;
        const page = await approvals.list({ ...query, states: state, owner });
        return c.json({ approvals: page.approvals.map(summariseApproval), nextCursor: page.nextCursor });
      } catch (error) {
        if (!(error instanceof InvalidCursor)) throw error;
        const issues = [{ pointer: '/cursor', message: error.message }];
        return problem(c, { status: 400, code: 'INVALID_REQUEST', detail: error.message, issues });
      }
    })
    .get('/v1/approvals/:id', async (c) => {
      const approval = await approvals.get(c.req.param('id'));
      if (approval === null || !maySee(c.get('identity'), approval.owner)) return notThere(c, c.req.param('id'));
      return c.json(describeApproval(approval));
    })
    .post(
      '/v1/approvals/:id',
      operatorsOnly(),
      jsonOnly('send {"decision": "approve"} or {"decision": "reject", "reason": "…"}'),
      utf8Body(),
      boundedJson(limits),
      validated('json', ApprovalDecision),
      async (c) => {
        const { decision, reason = null } = c.req.valid('json');
        const id = c.req.param('id');
        const identity = c.get('identity');
        const asked = await approvals.look(id);
        // A key that is narrowed to some tools lets no others be called either.
        if (asked !== null && !mayUseTool(identity, asked.toolName))
          return problem(c, { status: 403, code: 'FORBIDDEN', detail: refusalOfTool(identity, asked.toolName) });
        const outcome = await runtime.approvals.decide(id, { decision, reason, by: identity.name });
        return outcome.ok ? c.json(describeApproval(outcome.approval)) : refused(c, id, outcome);
      },
    );

const notThere = (c: Context, id: string): Response =>
  problem(c, {
    status: 404,
    code: 'NOT_FOUND',
    detail: `there is no approval "${id.slice(0, 64).toWellFormed()}" that this key may see`,
  });

const refused = (c: Context, id: string, { refusal, approval }: Extract<DecisionOutcome, { ok: false }>): Response => {
  if (approval === null) return notThere(c, id);
  switch (refusal) {
    case 'expired':
      return problem(c, {
        status: 410,
        code: 'APPROVAL_EXPIRED',
        detail: `its time was over at ${timeOf(approval.expiresAt)}; the call has to be made again`,
      });
    case 'abandoned':
      return problem(c, {
        status: 409,
        code: 'APPROVAL_ABANDONED',
        detail: 'nobody waits for this call any more: the server that it was made on was lost',
      });
    default:
      return problem(c, { status: 409, code: 'APPROVAL_DECIDED', detail: decidedWords(approval) });
  }
};

const decidedWords = ({ state, decidedAt, decidedBy, reason }: StoredApproval): string =>
  decidedAt === null
    ? `it is ${state} and cannot be decided any more${reason === null ? '' : `: ${reason}`}`
    : `${decidedBy} decided it at ${timeOf(decidedAt)}: it is ${state}`;

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
