import { isJsonObject } from '../../../lib/is-json-object.ts';
import type { ChatRequest } from '../../../ports/language-model.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { answerFormatOf, given, judgeOtherFields, mostTokensOf, stopsOf } from '../common-fields.ts';
import { functionTools, toolChoiceOf } from '../function-tools.ts';
import { createMapping, type Mapping } from '../request-field.ts';
import type { VendorRequest } from '../upstream-model.ts';
import { toGeminiContents } from './contents.ts';

/** Fields of Gemini's own, which a client may put into its request. */
const OWN = ['safetySettings', 'cachedContent', 'labels'];
const MAPPED = [
  ...OWN,
  'generationConfig',
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'temperature',
  'top_p',
  'top_k',
  'n',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'response_format',
  'reasoning_effort',
];

/** A request in the words of Gemini's generateContent. */
export const toGeminiRequest = (request: ChatRequest, isStream: boolean): VendorRequest => {
  const mapping = createMapping();
  const path = `/${modelPath(request.model, mapping)}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  judgeOtherFields(request, MAPPED, mapping);
  const { system, contents } = toGeminiContents(request.messages, mapping);
  const config = configOf(request, mapping);
  const body = {
    contents,
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
    ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
    ...toolsOf(request, mapping),
    ...given(Object.fromEntries(OWN.map((name) => [name, request[name]]))),
  };
  return { path, body, notices: mapping.notices };
};

/** The model is a part of the address: nothing in it may lead elsewhere. */
const modelPath = (model: string, mapping: Mapping): string => {
  const name = /^(?:(?:models|tunedModels)\/)?[A-Za-z0-9][\w.-]*$/.test(model) ? model : null;
  if (name === null) throw mapping.refused(['model'], 'must be a name such as gemini-2.5-flash');
  return name.includes('/') ? name : `models/${name}`;
};

const configOf = (request: ChatRequest, mapping: Mapping): JsonObject => {
  const format = answerFormatOf(request, mapping);
  const stops = stopsOf(request, mapping);
  return {
    ...given({
      temperature: request['temperature'],
      topP: request['top_p'],
      topK: request['top_k'],
      candidateCount: request['n'],
      maxOutputTokens: mostTokensOf(request),
      stopSequences: stops.length === 0 ? undefined : stops,
      seed: request['seed'],
      presencePenalty: request['presence_penalty'],
      frequencyPenalty: request['frequency_penalty'],
      responseMimeType: format.type === 'text' ? undefined : 'application/json',
      responseJsonSchema: format.type === 'schema' ? format.schema : undefined,
      thinkingConfig: thinkingOf(request, mapping),
    }),
    ...(isJsonObject(request['generationConfig']) ? request['generationConfig'] : {}),
  };
};

/** Tokens to think with, as Gemini's own OpenAI interface counts the efforts. */
const BUDGETS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
};

const thinkingOf = ({ reasoning_effort: effort }: ChatRequest, mapping: Mapping): JsonValue | undefined => {
  if (effort === undefined || effort === null) return undefined;
  const budget = typeof effort === 'string' && Object.hasOwn(BUDGETS, effort) ? BUDGETS[effort] : undefined;
  if (budget === undefined)
    throw mapping.refused(['reasoning_effort'], 'must be none, minimal, low, medium, high or xhigh');
  return { thinkingBudget: budget, ...(budget === 0 ? {} : { includeThoughts: true }) };
};

const MODES = { auto: 'AUTO', none: 'NONE', required: 'ANY', function: 'ANY' } as const;

const toolsOf = (request: ChatRequest, mapping: Mapping): JsonObject => {
  const tools = functionTools(request, mapping);
  if (tools.length === 0) return {};
  const strict = tools.findIndex(({ isStrict }) => isStrict);
  if (strict !== -1)
    mapping.notice(['tools', strict, 'function', 'strict'], 'was left out: this upstream has nothing like it');
  const choice = toolChoiceOf(request, mapping);
  const only = choice?.type === 'function' ? { allowedFunctionNames: [choice.name] } : {};
  return {
    tools: [
      {
        functionDeclarations: tools.map(({ name, description, parameters }) => ({
          name,
          ...(description === '' ? {} : { description }),
          parametersJsonSchema: parameters,
        })),
      },
    ],
    ...(choice === null ? {} : { toolConfig: { functionCallingConfig: { mode: MODES[choice.type], ...only } } }),
  };
};
