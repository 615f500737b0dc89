import { resolve } from 'node:path';
import process from 'node:process';
import { readApprovalRules } from '../../src/approval/read-approval-rules.ts';
import { describeIssues } from '../../src/lib/issue.ts';
import type { Limits } from '../../src/lib/limits.ts';
import { messageOf } from '../../src/lib/message-of.ts';
import type { ApprovalRules } from '../../src/ports/approval-rules.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { ApprovalRule } from '../../src/protocol/approval-rules.ts';
import type { Configuration } from '../../src/server/configuration.ts';
import { followTextFile, type FollowedText } from '../fs/follow-text-file.ts';

/** Where the file of approval rules is, or would be. */
export const approvalRulesFileOf = ({ VCP_APPROVAL_RULES_FILE, VCP_DATA_DIR }: Configuration): string =>
  VCP_APPROVAL_RULES_FILE === undefined
    ? resolve(VCP_DATA_DIR, 'approval-rules.json')
    : resolve(VCP_APPROVAL_RULES_FILE);

/** A file of approval rules that cannot be used; its message is for the operator. */
export class ApprovalRulesFault extends Error {
  override readonly name = 'ApprovalRulesFault';
}

export type ApprovalRulesFile = ApprovalRules & {
  /** Stops following it. */
  close(): void;
};

export type ApprovalRulesOptions = {
  readonly path: string;
  /** Whether the operator named it: then it must be there. */
  readonly isExpected: boolean;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** Milliseconds between two looks while no call asks for rules: a fault is told before a call meets it. */
const LOOK_EVERY_MS = 1_000;

/**
 * Opens the file of approval rules and follows it: every call sees it as it is then. What cannot be used leaves the rules
 * as they were, and so does a file that is gone: no call gets by without the approval that it needed, because somebody is
 * just about to replace the file. At the start there are none before: it raises ApprovalRulesFault.
 */
export const openApprovalRules = ({
  path,
  isExpected,
  limits,
  clock,
  logger,
}: ApprovalRulesOptions): ApprovalRulesFile => {
  const file = followTextFile(path, limits.approvalRulesBytes, clock.now);
  let rules: readonly ApprovalRule[] = [];
  let wasThere = isExpected;
  let fault: string | null = null;

  const rulesOf = ({ text }: FollowedText): readonly ApprovalRule[] => {
    if (text === null) {
      if (!wasThere) return [];
      throw new ApprovalRulesFault(
        `there is no file of approval rules at ${path}; one that asks for nothing is {"version":1,"rules":[]}`,
      );
    }
    wasThere = true;
    const read = readApprovalRules(text, limits);
    if (read.ok) return read.rules;
    throw new ApprovalRulesFault(`the approval rules in ${path} cannot be used: ${describeIssues(read.issues)}`);
  };

  const readChange = (): FollowedText | null => {
    try {
      return file.readChange();
    } catch (error) {
      throw new ApprovalRulesFault(`the approval rules in ${path} cannot be used: ${(error as Error).message}`, {
        cause: error,
      });
    }
  };

  const look = (): void => {
    const change = readChange();
    if (change === null) return;
    rules = rulesOf(change);
    fault = null;
    if (change.text === null) return;
    logger.info('approval-rules.loaded', { file: path, rules: rules.length });
    const open = writableByOthers(path, change.mode);
    if (open !== null) logger.warn('approval-rules.writable-by-others', { file: path, reason: open });
  };

  const current = (): readonly ApprovalRule[] => {
    try {
      look();
    } catch (error) {
      const reason = `${messageOf(error)}; the rules of before stay in force`;
      // The file is looked at for every call; a fault is told when it begins.
      if (reason !== fault) logger.error('approval-rules.not-loaded', { file: path, reason });
      fault = reason;
    }
    return rules;
  };

  look();
  const looking = setInterval(current, LOOK_EVERY_MS);
  looking.unref();
  return { current, close: () => clearInterval(looking) };
};

/** What is wrong with a file of these permissions, or null. Windows keeps permissions in another way. */
const writableByOthers = (path: string, mode: number): string | null =>
  process.platform === 'win32' || (mode & 0o022) === 0
    ? null
    : `other users of this machine may change what needs approval (mode ${mode.toString(8)}); run chmod go-w ${path}`;
