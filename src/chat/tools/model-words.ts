/** What the server says to models beside what plugins say, in one language. */
export type ModelWords = {
  /** How tools are called; `example` is a request in the form that the server reads. */
  readonly guide: (example: string) => string;
  readonly command: string;
  readonly argumentsTitle: string;
  readonly noArguments: string;
  readonly example: string;
  readonly required: string;
  readonly optional: string;
  readonly oneOf: string;
  readonly byDefault: string;
  readonly needsApproval: string;
  readonly runsLong: string;
  readonly noTools: string;
  readonly more: (count: number) => string;
  readonly omitted: (names: string) => string;
  readonly unavailable: (name: string) => string;
};

const ENGLISH: ModelWords = {
  guide: (example) => `You can call tools. To call one, write a block of this form into your answer:

${example}

- Write the markers and the quotes 「始」 and 「末」 exactly so; each field is key:「始」value「末」 and has a line of its own.
- tool_name says which tool; the other fields are its arguments, by the names that its description gives them.
- A value may have several lines. A list or an object is written as JSON. A value that itself holds one of the markers or quotes stands between 「始ESCAPE」 and 「末ESCAPE」.
- Several blocks in one answer run at once. You are then told the results, in the order of the blocks; wait for them, and do not make results up.
- A block inside code, a quotation or your thinking is text and calls nothing.
- When a call fails, read the code and the message of its error, mend the arguments, and do not send the same call again.`,
  command: 'Command',
  argumentsTitle: 'Arguments:',
  noArguments: 'Arguments: none',
  example: 'Example:',
  required: 'required',
  optional: 'optional',
  oneOf: 'one of',
  byDefault: 'default',
  needsApproval: 'A person is asked before it runs.',
  runsLong: 'It is accepted at once and its result comes later.',
  noTools: 'No tools are available.',
  more: (count) => `and ${count} more`,
  omitted: (names) =>
    `Not described here for want of room: ${names}. When you need one of them, say so: whoever set up this conversation can add its description.`,
  unavailable: (name) => `[${name} is not available now]`,
};

const CHINESE: ModelWords = {
  guide: (example) => `你可以调用工具。需要调用时，在回复中写出如下格式的指令块：

${example}

- 起止标记和引号 「始」「末」 必须原样书写；每个字段写成 key:「始」值「末」，各占一行。
- tool_name 指明工具，其余字段是该工具的参数，名称以工具说明为准。
- 值可以有多行；列表和对象写成 JSON。值本身含有上述标记或引号时，改用 「始ESCAPE」 和 「末ESCAPE」 包裹。
- 一次回复中的多个指令块会同时执行，结果按指令块的先后顺序返回；请等待结果，不要编造结果。
- 写在代码、引用或思考过程中的指令块只是文字，不会被执行。
- 调用失败时，先阅读错误代码和说明，修正参数后再试，不要原样重复同一调用。`,
  command: '命令',
  argumentsTitle: '参数：',
  noArguments: '参数：无',
  example: '示例：',
  required: '必填',
  optional: '可选',
  oneOf: '可选值',
  byDefault: '默认',
  needsApproval: '执行前需要人工批准。',
  runsLong: '立即受理，结果稍后返回。',
  noTools: '当前没有可用的工具。',
  more: (count) => `另有 ${count} 个`,
  omitted: (names) => `因篇幅所限，以下工具未作说明：${names}。需要使用时请提出，由设置本次对话的人补充其说明。`,
  unavailable: (name) => `[${name} 暂不可用]`,
};

/** Chinese for `zh` in any form, and English for all others. */
export const modelWords = (locale: string): ModelWords => (/^zh\b/i.test(locale) ? CHINESE : ENGLISH);
