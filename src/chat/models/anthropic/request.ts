import { isJsonObject } from '../../../lib/is-json-object.ts';
import type { ChatRequest } from '../../../ports/language-model.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { answerFormatOf, given, judgeOtherFields, mostTokensOf, stopsOf } from '../common-fields.ts';
import { functionTools, toolChoiceOf } from '../function-tools.ts';
import { createMapping, type Mapping } from '../request-field.ts';
import type { VendorRequest } from '../upstream-model.ts';
import { toAnthropicMessages } from './messages.ts';

/** Fields of Anthropic's own, which a client may put into its request. */
const OWN = ['thinking', 'top_k', 'container', 'context_management', 'mcp_servers', 'inference_geo', 'cache_control'];
const MAPPED = [
  ...OWN,
  'output_config',
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'temperature',
  'top_p',
  'n',
  'user',
  'metadata',
  'service_tier',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
];

/** A request in the words of Anthropic's Messages. `defaultTokens` is what an answer may have where nothing is said. */
export const toAnthropicRequest = (request: ChatRequest, isStream: boolean, defaultTokens: number): VendorRequest => {
  const mapping = createMapping();
  const { n, top_p: topP } = request;
  if (n !== undefined && n !== null && n !== 1)
    throw mapping.refused(['n'], 'must be 1: this upstream gives one answer');
  judgeOtherFields(request, MAPPED, mapping);
  const { system, messages } = toAnthropicMessages(request.messages, mapping);
  const stops = stopsOf(request, mapping);
  const body: JsonObject = {
    model: request.model,
    max_tokens: mostTokensOf(request) ?? defaultTokens,
    messages,
    ...given({
      system: system.length === 0 ? undefined : system,
      stop_sequences: stops.length === 0 ? undefined : stops,
      temperature: temperatureOf(request, mapping),
      top_p: topP,
      metadata: metadataOf(request, mapping),
      service_tier: serviceTierOf(request, mapping),
      ...reasoningOf(request, mapping),
      ...toolsOf(request, mapping),
      ...Object.fromEntries(OWN.map((name) => [name, request[name]]).filter(([, value]) => value !== undefined)),
    }),
    ...(isStream ? { stream: true } : {}),
  };
  return { path: '/messages', body, notices: mapping.notices };
};

/** OpenAI's goes up to 2, Anthropic's to 1. */
const temperatureOf = ({ temperature }: ChatRequest, mapping: Mapping): JsonValue | undefined => {
  if (typeof temperature !== 'number' || temperature <= 1) return temperature;
  mapping.notice(['temperature'], 'was lowered to 1, the highest that this upstream knows');
  return 1;
};

const metadataOf = ({ user, metadata }: ChatRequest, mapping: Mapping): JsonObject | undefined => {
  const own = isJsonObject(metadata) ? metadata['user_id'] : undefined;
  if (isJsonObject(metadata) && Object.keys(metadata).some((name) => name !== 'user_id'))
    mapping.notice(['metadata'], 'was left out but for user_id: this upstream has nothing like it');
  const id = own ?? user;
  return typeof id === 'string' ? { user_id: id } : undefined;
};

const TIERS: Readonly<Record<string, string>> = {
  auto: 'auto',
  default: 'standard_only',
  standard_only: 'standard_only',
};

const serviceTierOf = ({ service_tier: tier }: ChatRequest, mapping: Mapping): string | undefined => {
  if (typeof tier !== 'string') return undefined;
  if (!Object.hasOwn(TIERS, tier)) mapping.notice(['service_tier'], 'was left out: this upstream has no such tier');
  return TIERS[tier];
};

/** Models since Claude 4.6 think as much as the effort asks for; a fixed budget is given through `thinking` itself. */
const EFFORTS: Readonly<Record<string, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

const reasoningOf = (request: ChatRequest, mapping: Mapping): JsonObject => {
  const { reasoning_effort: effort, output_config: own } = request;
  const format = answerFormatOf(request, mapping);
  if (format.type === 'json')
    throw mapping.refused(['response_format', 'type'], 'cannot be json_object with this upstream; use json_schema');
  if (effort === 'none') return { thinking: { type: 'disabled' }, ...configOf(own, format, null) };
  if (effort === undefined || effort === null) return configOf(own, format, null);
  const level = typeof effort === 'string' && Object.hasOwn(EFFORTS, effort) ? EFFORTS[effort] : undefined;
  if (level === undefined)
    throw mapping.refused(['reasoning_effort'], 'must be none, minimal, low, medium, high, xhigh or max');
  return { thinking: { type: 'adaptive' }, ...configOf(own, format, level) };
};

const configOf = (
  own: JsonValue | undefined,
  format: ReturnType<typeof answerFormatOf>,
  effort: string | null,
): JsonObject => {
  const config = {
    ...(effort === null ? {} : { effort }),
    ...(format.type === 'schema' ? { format: { type: 'json_schema', schema: format.schema } } : {}),
    ...(isJsonObject(own) ? own : {}),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
};

const toolsOf = (request: ChatRequest, mapping: Mapping): JsonObject => {
  const tools = functionTools(request, mapping);
  if (tools.length === 0) return {};
  const choice = toolChoiceOf(request, mapping);
  const isOneByOne = request['parallel_tool_calls'] === false;
  const type =
    choice === null ? 'auto' : { auto: 'auto', none: 'none', required: 'any', function: 'tool' }[choice.type];
  return {
    tools: tools.map(({ name, description, parameters, isStrict }) => ({
      name,
      ...(description === '' ? {} : { description }),
      input_schema: parameters,
      ...(isStrict ? { strict: true } : {}),
    })),
    ...(choice === null && !isOneByOne
      ? {}
      : {
          tool_choice: {
            type,
            ...(choice?.type === 'function' ? { name: choice.name } : {}),
            ...(isOneByOne && type !== 'none' ? { disable_parallel_tool_use: true } : {}),
          },
        }),
  };
};
