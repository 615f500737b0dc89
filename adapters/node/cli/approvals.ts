import { Option, type Command } from 'commander';
import process from 'node:process';
import { ApprovalState, type Approval, type ApprovalSummary } from '../../../src/protocol/approval.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { UsageError } from './exit.ts';
import { printJson } from './json-output.ts';
import { withServerOptions } from './server-options.ts';
import { columnsOf, painterOf, printable, table } from './terminal.ts';
import { wholeNumber } from './whole-number.ts';

type ListOptions = ConnectOptions & {
  readonly state?: ApprovalState;
  readonly limit: string;
  readonly json?: boolean;
};
type ShowOptions = ConnectOptions & { readonly json?: boolean };
type DecideOptions = ConnectOptions & { readonly reason?: string };

/** Most approvals that the server gives on one page. */
const PAGE = 1_000;

export const registerApprovalsCommand = (program: Command): void => {
  const approvals = program
    .command('approvals')
    .description('calls that need a person’s approval: list them, look at one, decide')
    .addHelpText(
      'after',
      `
Examples:
  $ vcp approvals list                            what waits for a decision
  $ vcp approvals show APPROVAL                   exactly what would run
  $ vcp approvals approve APPROVAL
  $ vcp approvals reject APPROVAL --reason 'not on a Friday'`,
    );
  withServerOptions(
    approvals
      .command('list', { isDefault: true })
      .description('list approvals, newest first; those that wait unless --state says otherwise')
      .addOption(
        new Option('--state <state>', 'only approvals in this state, or all').choices([
          ...ApprovalState.options,
          'all',
        ]),
      )
      .option('--limit <n>', 'most approvals to list', '20')
      .option('--json', 'print a line of JSON for each, as in a pipe')
      .action(listCommand),
  );
  withServerOptions(
    approvals
      .command('show')
      .description('show exactly what an approval is for')
      .argument('<approval>', 'id of the approval (apr_…)')
      .option('--json', 'print JSON, as in a pipe')
      .action(showCommand),
  );
  for (const decision of ['approve', 'reject'] as const) {
    withServerOptions(
      approvals
        .command(decision)
        .description(decision === 'approve' ? 'let the call be made, once' : 'let the call not be made')
        .argument('<approval>', 'id of the approval (apr_…)')
        .option('--reason <text>', 'why; the caller is told, and the record keeps it')
        .action(async (id: string, options: DecideOptions) => {
          const { reason } = options;
          if (reason !== undefined && (reason === '' || reason.length > 1_000))
            throw new UsageError('--reason has 1 to 1000 characters');
          const decided = await connect(options).decideApproval(id, {
            decision,
            ...(reason === undefined ? {} : { reason }),
          });
          process.stderr.write(`vcp: ${decided.state}: ${callOf(decided)} (${decided.id})\n`);
        }),
    );
  }
};

const listCommand = async (options: Omit<ListOptions, 'state'> & { readonly state?: ApprovalState | 'all' }) => {
  const limit = wholeNumber('--limit', options.limit) ?? 0;
  const { state = 'pending' } = options;
  const client = connect(options);
  const found: ApprovalSummary[] = [];
  let cursor: string | null = null;
  do {
    const page = await client.listApprovals({
      limit: Math.min(PAGE, Math.max(1, limit - found.length)),
      ...(state === 'all' ? {} : { state }),
      ...(cursor === null ? {} : { cursor }),
    });
    found.push(...page.approvals);
    cursor = page.nextCursor;
  } while (cursor !== null && found.length < limit);
  const shown = found.slice(0, limit);
  if (options.json === true || !process.stdout.isTTY) {
    for (const approval of shown) process.stdout.write(`${JSON.stringify(approval)}\n`);
    return;
  }
  if (shown.length === 0) {
    process.stderr.write(`vcp: there are no ${state === 'all' ? '' : `${state} `}approvals\n`);
    return;
  }
  const rows = shown.map((approval) => [
    approval.id,
    approval.state,
    new Date(approval.expiresAt).toLocaleString(),
    printable(approval.actor?.name ?? approval.actor?.id ?? approval.owner),
    printable(callOf(approval)),
  ]);
  const heading = ['APPROVAL', 'STATE', 'UNTIL', 'ON BEHALF OF', 'CALL'];
  process.stdout.write(
    table(heading, rows, process.stdout.columns || columnsOf(process.stdout), painterOf(process.stdout)),
  );
};

const showCommand = async (id: string, options: ShowOptions) => {
  const approval = await connect(options).getApproval(id);
  if (options.json === true || !process.stdout.isTTY) return printJson(approval);
  const paint = painterOf(process.stderr);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const { requiredBy, actor, tool } = approval;
  say(`${paint('bold', printable(callOf(approval)))} ${tool.version}: ${approval.state}`);
  // Whom a call names is its caller's word; the key is not.
  say(
    `on behalf of ${printable(actor?.name ?? actor?.id ?? approval.owner)}, by ${approval.source}, with the key ${printable(approval.owner)}`,
  );
  say(
    `approval is required by the ${requiredBy.by}${requiredBy.reason === null ? '' : `: ${printable(requiredBy.reason)}`}`,
  );
  if (approval.decidedBy !== null)
    say(
      `${printable(approval.decidedBy)} decided at ${approval.decidedAt}${approval.reason === null ? '' : `: ${printable(approval.reason)}`}`,
    );
  printJson(approval.arguments);
  if (approval.conversation !== null) {
    say('and is handed this part of its conversation:');
    printJson(approval.conversation);
  }
  for (const { id: resource, fileName, mimeType, sizeBytes } of approval.resources)
    say(`${printable(fileName)}  ${printable(mimeType)}, ${sizeBytes ?? '?'} bytes, ${resource}`);
  if (approval.state === 'pending')
    say(`until ${approval.expiresAt}: vcp approvals approve ${approval.id}, or vcp approvals reject ${approval.id}`);
};

const callOf = ({ tool, command }: Pick<Approval, 'tool' | 'command'>): string => `${tool.name} · ${command}`;
