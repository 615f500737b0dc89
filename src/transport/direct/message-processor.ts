import type { JsonValue } from '../../protocol/json.ts';
import type { DirectContext, DirectModule } from './direct-transport.ts';

/** What a module of a message preprocessor is given beside the messages. */
export type MessageContext = DirectContext & {
  /** The model that the request is for. */
  readonly model: string;
};

/** A trusted module that changes the messages of chat requests: it gives them as they are to go on. */
export type MessageProcessor = { processMessages(messages: JsonValue, context: MessageContext): unknown };

/** Such a module as one that is called like any other. What it does to the messages it was given stays with it. */
export const messageProcessor = (module: MessageProcessor): DirectModule => ({
  processToolCall: async ({ messages = [], model }, context) => ({
    status: 'success',
    data: {
      messages: await module.processMessages(structuredClone(messages), {
        ...context,
        model: typeof model === 'string' ? model : '',
      }),
    },
  }),
});
