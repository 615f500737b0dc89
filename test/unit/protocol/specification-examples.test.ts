import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as protocol from '../../../src/protocol/index.ts';
import { canonicalResult } from '../../support/sample-values.ts';

// The examples of the specification, as they are printed. Only what it elides (`…_01J...`, `hex...`) is written out.
const ULID = '01JABCDEFGHJKMNPQRSTVWXYZ0';
const withIds = (text: string): unknown =>
  JSON.parse(
    text.replaceAll(/\b(task|tr|ti|req|tcr|res)_(?:01J)?\.\.\./g, `$1_${ULID}`).replaceAll('hex...', 'ab'.repeat(32)),
  );

const PAYLOADS: [string, string][] = [
  [
    '§5.2 success',
    '{"status":"success","data":{"message":"操作完成"},"resources":[],"warnings":[],"presentation":{"summary":"操作已完成","preferredView":null},"aiAdvice":{"intent":"relay","message":"请将计算结果清晰地转告给用户。","resourceIds":[],"priority":"normal"},"extensions":{}}',
  ],
  [
    '§5.2 error',
    '{"status":"error","data":null,"resources":[],"warnings":[],"error":{"code":"INVALID_ARGUMENT","message":"time 参数格式无效","retryable":false,"target":"time","details":{"expected":"RFC 3339"}},"extensions":{}}',
  ],
  [
    '§5.2 accepted',
    '{"status":"accepted","data":{"message":"视频生成任务已提交"},"task":{"id":"task_01J...","state":"queued","progress":null,"pollAfterMs":5000,"placeholder":"{{VCP_ASYNC_RESULT::Wan2.1VideoGen::task_01J...}}"},"resources":[],"warnings":[],"extensions":{}}',
  ],
  [
    '§7.4',
    '{"status":"success","data":{"message":"图片已生成","image":{"$resource":"output-image"}},"resources":[{"id":"output-image","kind":"image","role":"output","mimeType":"image/png","localPath":"image/doubaogen/xxx.png","fileName":"xxx.png"}],"warnings":[],"extensions":{}}',
  ],
  [
    '§13.3',
    '{"status":"success","data":{"message":"图片已成功生成","prompt":"一只在月球上的猫","resolution":"2K","seed":12345,"image":{"$resource":"generated-image"}},"resources":[{"id":"generated-image","kind":"image","role":"output","mimeType":"image/png","fileName":"xxx.png","localPath":"image/doubaogen/xxx.png"}],"warnings":[],"presentation":{"summary":"图片已成功生成","preferredView":"image-result","primaryResourceId":"generated-image"},"aiAdvice":{"intent":"display_resource","message":"请将生成的图片直接展示给用户，并简要转告分辨率与 Seed。","resourceIds":["generated-image"],"renderHint":"image","priority":"high"},"extensions":{"vcp.image-generation":{"provider":"DMXAPI","model":"doubao-seedream-4-5-251128"}}}',
  ],
  [
    '§13.4 created',
    '{"status":"success","data":{"operation":"created","schedule":{"id":"sch_01J...","time":"2026-07-12T10:00:00+08:00","content":"项目会议"}},"resources":[],"warnings":[],"presentation":{"summary":"日程已添加","preferredView":"schedule-card"},"extensions":{}}',
  ],
  [
    '§13.4 list',
    '{"status":"success","data":{"schedules":[{"id":"sch_01J...","time":"2026-07-12T10:00:00+08:00","content":"项目会议"}],"total":1},"resources":[],"warnings":[],"presentation":{"summary":"共 1 项日程","preferredView":"schedule-list"},"extensions":{}}',
  ],
];

const CANONICAL =
  '{"protocol":{"name":"vcp.tool-result","version":"1.0"},"id":"tr_01J...","status":"success","tool":{"name":"ScheduleManager","displayName":"日程管理器","version":"1.0.0","command":"ListSchedules"},"execution":{"invocationId":"ti_01J...","requestId":"req_01J...","recordId":"tcr_01J...","startedAt":"2026-07-11T15:30:00.000+08:00","finishedAt":"2026-07-11T15:30:00.023+08:00","durationMs":23,"timeoutMs":60000,"attempt":1},"actor":{"type":"agent","id":null,"name":"Nova","maid":"Nova"},"origin":{"source":"ai-loop","nodeId":null,"serverId":"local","distributed":false,"requestIp":null},"data":{"schedules":[]},"resources":[],"warnings":[],"error":null,"task":null,"presentation":{"summary":"当前没有日程","preferredView":"schedule-list"},"policy":{"classification":"internal","containsSensitiveData":false,"redactionsApplied":[]},"extensions":{}}';

const PARTS: [string, z.ZodType, string][] = [
  [
    '§5.7 warning',
    protocol.Warning,
    '{"code":"OUTPUT_TRUNCATED","message":"结果超过限制，已截断","target":"data.items","details":{"originalCount":10000,"returnedCount":500}}',
  ],
  [
    '§5.8 presentation',
    protocol.Presentation,
    '{"summary":"生成了 1 张图片","preferredView":"image-result","title":"图片生成结果","primaryResourceId":"res_01J..."}',
  ],
  [
    '§5.9 advice',
    protocol.AiAdvice,
    '{"intent":"display_resource","message":"请将生成的图片直接展示给用户，并简要说明生成参数。","resourceIds":["res_01J..."],"renderHint":"image","priority":"normal"}',
  ],
  [
    '§5.9 advice of a calculator',
    protocol.AiAdvice,
    '{"intent":"relay","message":"请把计算结果及必要的单位清晰转告给用户。","resourceIds":[],"renderHint":"text","priority":"normal"}',
  ],
  [
    '§5.10 extensions',
    protocol.Extensions,
    '{"vcp.schedule":{"calendarId":"default"},"vendor.example":{"traceId":"..."}}',
  ],
  [
    '§6.1 error',
    protocol.ToolError,
    '{"code":"INVALID_ARGUMENT","message":"resolution 不受支持","category":"domain","retryable":false,"target":"resolution","details":{"allowed":["2K","4K"]},"cause":null}',
  ],
  [
    '§9.1 request',
    protocol.HumanToolRequest,
    '{"tool":"ScheduleManager","arguments":{"command":"ListSchedules"},"options":{"view":"canonical"}}',
  ],
  [
    '§10.3 callback',
    protocol.Callback,
    '{"protocol":{"name":"vcp.tool-result-callback","version":"1.0"},"taskId":"task_...","result":{"status":"success","data":{},"resources":[],"warnings":[],"extensions":{}}}',
  ],
  [
    '§10.6 progress',
    protocol.ProgressEvent,
    '{"type":"vcp_info","invocationId":"ti_...","taskId":"task_...","stage":"downloading","progress":0.4,"message":"正在下载结果"}',
  ],
  [
    '§11.2 frame',
    protocol.StdoutFrame,
    '{"vcp":"tool-result","version":"1.0","payload":{"status":"success","data":{},"resources":[],"warnings":[],"extensions":{}}}',
  ],
  [
    '§16.3 ledger',
    z.array(z.unknown()).pipe(protocol.MigrationLedger),
    '[{"plugin":"ScheduleManager","enabled":true,"type":"synchronous","protocol":"stdio","commands":[{"name":"ListSchedules","codeMigrated":true,"manifestMigrated":true,"inputSchema":true,"outputSchema":true,"contractTests":true,"aiSnapshot":true,"humanSnapshot":true}]}]',
  ],
];

describe('the examples of the specification', () => {
  it.each(PAYLOADS)('%s is a payload, and stays as it was written', (_, text) => {
    const example = withIds(text);
    const parsed = protocol.PluginResultPayload.parse(example);
    expect(parsed).toMatchObject(example as object);
  });

  it('§5.3 is a canonical result but for aiAdvice, which §5.4 makes a field of every result', () => {
    const example = withIds(CANONICAL) as object;
    expect(protocol.CanonicalToolResult.safeParse(example).error?.issues.map((issue) => issue.path)).toEqual([
      ['aiAdvice'],
    ]);
    expect(protocol.CanonicalToolResult.parse({ ...example, aiAdvice: null })).toMatchObject(example);
  });

  it.each(PARTS)('%s parses, and stays as it was written', (_, schema, text) => {
    const example = withIds(text);
    expect(schema.parse(example)).toMatchObject(example as object);
  });

  it('§7.1 is a descriptor once §7.6 adds its access', () => {
    const text =
      '{"id":"res_01J...","kind":"image","role":"output","mimeType":"image/png","fileName":"generated.png","sizeBytes":183920,"sha256":"hex...","url":"https://vcp.example/pw=.../images/...","source":{"type":"generated","provider":"DMXAPI"},"dimensions":{"width":2048,"height":2048},"durationMs":null,"metadata":{}}';
    const access = { type: 'managed', expiresAt: null, requiresAuth: true };
    expect(protocol.ResourceDescriptor.safeParse({ ...(withIds(text) as object), access }).success).toBe(true);
  });

  it('§12.3 is an envelope once its result is whole', () => {
    const envelope = withIds(
      '{"type":"vcp_tool_result","protocolVersion":"1.0","requestId":"req_...","result":{"protocol":{"name":"vcp.tool-result","version":"1.0"}}}',
    ) as object;
    expect(protocol.BridgeEnvelope.safeParse({ ...envelope, result: canonicalResult() }).success).toBe(true);
  });
});
