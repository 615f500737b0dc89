import { describe, expect, it } from 'vitest';
import * as protocol from '../../src/protocol/index.ts';

// What others build on, frozen as literals. A change here is a change of the protocol: say so in the changelog.
describe('the protocol', () => {
  it('has these error codes, each of its category', () => {
    const facts = Object.entries({ ...protocol.STANDARD_ERROR_CODES, ...protocol.CORE_ERROR_CODES }).map(
      ([code, { category }]) => [code, category],
    );
    expect(Object.fromEntries(facts)).toEqual({
      INVALID_ARGUMENT: 'validation',
      MISSING_ARGUMENT: 'validation',
      UNKNOWN_COMMAND: 'validation',
      TOOL_NOT_FOUND: 'validation',
      TOOL_DISABLED: 'runtime',
      APPROVAL_REJECTED: 'approval',
      APPROVAL_TIMEOUT: 'approval',
      UNAUTHORIZED: 'authorization',
      FORBIDDEN: 'authorization',
      DEPENDENCY_UNAVAILABLE: 'dependency',
      UPSTREAM_ERROR: 'dependency',
      FILE_NOT_FOUND: 'dependency',
      RESOURCE_TOO_LARGE: 'validation',
      UNSUPPORTED_MEDIA_TYPE: 'validation',
      TOOL_TIMEOUT: 'timeout',
      TOOL_CANCELLED: 'cancelled',
      TRANSPORT_FAILURE: 'transport',
      INVALID_TOOL_RESULT: 'protocol',
      DISTRIBUTED_NODE_OFFLINE: 'transport',
      INTERNAL_ERROR: 'runtime',
      'VCP.OVERLOADED': 'runtime',
    });
  });

  it('has these error categories', () => {
    expect(protocol.ErrorCategory.options).toEqual([
      'domain',
      'validation',
      'approval',
      'authorization',
      'transport',
      'protocol',
      'dependency',
      'runtime',
      'cancelled',
      'timeout',
    ]);
    expect([...protocol.PLUGIN_ERROR_CATEGORIES]).toEqual(['domain', 'validation', 'dependency']);
  });

  it('has these warning codes of its own', () => {
    expect(Object.keys(protocol.CORE_WARNING_CODES)).toEqual([
      'MIME_MISMATCH',
      'INLINE_EXTRACTED',
      'INLINE_NOT_EXTRACTED',
      'MIRROR_FAILED',
      'DIRECTORY_ENTRIES_SKIPPED',
      'UNDECLARED_ERROR_CODE',
      'ERROR_CATEGORY_REPLACED',
      'NONZERO_EXIT',
      'PROCESS_LINGERED',
      'RETRIED',
      'RESULT_NOT_STORED',
      'RESULT_WITHHELD',
      'REPEATED_KEY',
      'EXAMPLE_SKIPPED',
      'CONTROL_IGNORED',
      'LOG_TRUNCATED',
      'OUTPUT_TRUNCATED',
    ]);
  });

  it('has these enumerations', () => {
    expect(protocol.ToolStatus.options).toEqual(['success', 'accepted', 'partial', 'error', 'cancelled', 'timeout']);
    expect(protocol.TaskState.options).toEqual([
      'created',
      'queued',
      'running',
      'completed',
      'failed',
      'cancelled',
      'timed_out',
    ]);
    expect(protocol.ResourceKind.options).toEqual([
      'image',
      'audio',
      'video',
      'document',
      'archive',
      'text',
      'binary',
      'directory',
      'other',
    ]);
    expect(protocol.ResourceRole.options).toEqual([
      'input',
      'output',
      'preview',
      'thumbnail',
      'attachment',
      'log',
      'intermediate',
    ]);
    expect(protocol.InvocationSource.options).toEqual([
      'ai-loop',
      'human',
      'workflow',
      'scheduler',
      'bridge',
      'mcp',
      'distributed',
      'callback',
      'cli',
    ]);
    expect(protocol.Actor.shape.type.options).toEqual(['agent', 'human', 'service', 'system']);
    expect(protocol.ResultView.options).toEqual(['canonical', 'workflow', 'ai', 'bridge', 'audit']);
    expect(protocol.PluginType.options).toEqual([
      'synchronous',
      'asynchronous',
      'hybridservice',
      'static',
      'messagePreprocessor',
      'service',
    ]);
    expect(protocol.TransportProtocol.options).toEqual(['stdio', 'direct', 'distributed', 'mcp']);
    expect(protocol.AdviceIntent.options).toEqual([
      'relay',
      'display_resource',
      'summarize',
      'explain',
      'request_followup',
      'suggest_next_step',
      'none',
    ]);
    expect(protocol.RenderHint.options).toEqual([
      'text',
      'markdown',
      'image',
      'audio',
      'video',
      'file_link',
      'table',
      'none',
    ]);
    expect(protocol.ResourceAccess.shape.type.options).toEqual(['managed', 'external', 'ephemeral']);
  });

  it('has these constants', () => {
    expect([protocol.PROTOCOL_NAME, protocol.CALLBACK_PROTOCOL_NAME, protocol.PROTOCOL_VERSION]).toEqual([
      'vcp.tool-result',
      'vcp.tool-result-callback',
      '1.0',
    ]);
    expect(protocol.ID_PREFIXES).toEqual({
      result: 'tr_',
      invocation: 'ti_',
      request: 'req_',
      record: 'tcr_',
      scheduleRun: 'run_',
      task: 'task_',
      resource: 'res_',
      approval: 'apr_',
      event: 'evt_',
      schedule: 'sch_',
      inboxItem: 'inb_',
    });
    expect(protocol.DRAFT_LOCATIONS).toEqual(['localPath', 'url', 'dataUri', 'base64', 'resourceId']);
    expect(protocol.CORE_ONLY_FIELDS).toEqual([
      'id',
      'protocol',
      'tool',
      'execution',
      'actor',
      'origin',
      'record',
      'policy',
    ]);
    expect(protocol.TASK_TRANSITIONS).toEqual({
      created: ['queued', 'running', 'failed', 'cancelled', 'timed_out'],
      queued: ['running', 'completed', 'failed', 'cancelled', 'timed_out'],
      running: ['completed', 'failed', 'cancelled', 'timed_out'],
      completed: [],
      failed: [],
      cancelled: [],
      timed_out: [],
    });
  });
});
