import { existsSync, readFileSync } from 'node:fs';
import { readApprovalRules } from '../../../../src/approval/read-approval-rules.ts';
import { describeIssues } from '../../../../src/lib/issue.ts';
import type { Limits } from '../../../../src/lib/limits.ts';
import { messageOf } from '../../../../src/lib/message-of.ts';
import type { Configuration } from '../../../../src/server/configuration.ts';
import { approvalRulesFileOf } from '../../approval-rules-file.ts';
import { fail, ok, type Finding } from './finding.ts';

/** The rules that say which calls need approval, where there are any. */
export const checkApprovalRules = (configuration: Configuration, limits: Limits): Finding[] => {
  const path = approvalRulesFileOf(configuration);
  if (!existsSync(path)) {
    if (configuration.VCP_APPROVAL_RULES_FILE === undefined) return [];
    return [
      fail('approval rules', `there is no file ${path}`, 'one that asks for nothing is {"version":1,"rules":[]}'),
    ];
  }
  const mend = 'mend it: a server does not start with it, and a running one keeps the rules of before';
  try {
    const read = readApprovalRules(readFileSync(path, 'utf8'), limits);
    return read.ok
      ? [ok('approval rules', `${path}, ${read.rules.length} in it`)]
      : [fail('approval rules', `${path}: ${describeIssues(read.issues)}`, mend)];
  } catch (error) {
    return [fail('approval rules', `${path} cannot be read: ${messageOf(error)}`, mend)];
  }
};
