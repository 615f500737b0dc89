import type { Requirements } from '../requirement.ts';

/** §8–§12: presenters, HTTP and workflow, synchronous and asynchronous tools, stdio, bridges. */
export const consumerRequirements: Requirements = {
  '§8.1': {
    says: 'a view in no vendor’s format',
    tests: {
      'test/unit/present/ai-sections.test.ts': ['is the same text in its parts', 'resources > go along as pictures'],
    },
  },
  '§8.2': {
    says: 'the order of what a model reads',
    tests: {
      'test/unit/present/ai-sections.test.ts': ['follows the order of §8.2'],
      'test/conformance/scenarios/views.ts': ['gives a model text in the order of §8.2'],
    },
  },
  '§8.3': {
    says: 'typed renderers by the meaning of a result',
    tests: { 'test/unit/present/renderers.test.ts': ['the renderer > ', 'a renderer > '] },
  },
  '§8.4': {
    says: 'any JSON value as Markdown',
    tests: {
      'test/unit/present/ai-sections.test.ts': ['data as Markdown > '],
      'test/unit/present/ai-hostile.test.ts': ['in %s forges no section', 'in %s makes no HTML and no image'],
    },
  },
  '§8.5': {
    says: 'the budget is kept, and every loss stated',
    tests: {
      'test/unit/present/ai-budget.test.ts': ['the budget > '],
      'test/unit/present/nothing-lost.test.ts': [
        'the AI view > names the fields that it has no place for',
        'a long text of a tool > stays within %i characters for a model, which is told of it',
      ],
      'test/unit/runtime/result-reader.test.ts': ['the result reader > '],
      'test/conformance/scenarios/views.ts': [
        'keeps a model within its budget and says what it left out, where, and how to get it',
      ],
      'test/property/losses-of-views.test.ts': ['truncation is never silent > '],
      'test/pins/projections.test.ts': ['a golden projection > ', 'the golden projections > '],
      'test/property/sample-json.test.ts': ['sampleJson > drops nothing silently, and stays near its budget'],
    },
  },
  '§8.6': {
    says: 'pictures for models that see, links for others',
    tests: {
      'test/unit/present/ai-sections.test.ts': [
        'go along as pictures for a model that sees, and only for that',
        'that are external are linked, never attached',
      ],
      'test/unit/present/model-adapters.test.ts': ['the parts of a message > '],
      'test/unit/chat/anthropic.test.ts': ['a request to Anthropic > gives pictures and documents'],
      'test/unit/chat/gemini.test.ts': ['a request to Gemini > gives media as bytes, and pictures by an address too'],
    },
  },
  '§9.1': {
    says: 'POST /v1/human/tool; a tool’s failure is 200',
    tests: {
      'test/conformance/scenarios/tools.ts': [
        '(3) lets a person add, list and delete a schedule',
        '(3) takes a TOOL_REQUEST block',
        'answers a tool that does not exist with a result',
      ],
      'test/e2e/hostile-clients.test.ts': ['a body that is no JSON > is refused with a reason'],
      'test/e2e/first-call.test.ts': ['is needed: %s is refused'],
      'test/unit/server/calls.test.ts': [
        'answers 200 to %s',
        'answers 400 to %s, with the place at fault',
        'answers 403 to a key that may not use the tool, and runs nothing',
      ],
      'test/e2e/late-calls.test.ts': ['is 503 once the server is ending, tells when to come back, and runs nothing'],
      'test/e2e/strangers.test.ts': ['a request that never ends > is 401 without a key'],
      'test/pins/openapi-answers.test.ts': ['describes every answer of every operation'],
      'test/unit/instruction/find-block.test.ts': ['a call that is only shown > ', 'a call that is meant > '],
      'test/unit/instruction/read-tool-request.test.ts': ['what was not said whole > is not run: %s'],
      'test/unit/instruction/grammar.test.ts': ['the grammar of %s > '],
      'test/unit/instruction/adversarial.test.ts': ['a million characters > ', 'what is held back > '],
      'test/property/instruction-parser.test.ts': ['a text in pieces > ', 'a reader > '],
      'test/property/instruction-writer.test.ts': ['a call that is written > '],
      'test/unit/server/borders.test.ts': [
        'a call in %s > is refused when its body holds %s',
        'a method that a path does not take > ',
      ],
      'test/unit/server/idempotency.test.ts': ['Idempotency-Key with a call in %s > ', 'Idempotency-Key > '],
      'test/unit/server/open-routes.test.ts': [
        'the word that the server takes no more work',
        'problems > of the server itself tell nothing but where to look',
      ],
    },
  },
  '§9.2': {
    says: 'workflows read native types under stable pointers',
    tests: {
      'test/unit/present/nothing-lost.test.ts': ['the workflow view > says where something was taken out'],
      'test/unit/present/views.test.ts': ['the workflow view > '],
      'test/conformance/scenarios/views.ts': ['gives a workflow native types, references and pointers, and no prose'],
    },
  },
  '§9.3': {
    says: 'every command declares the schemas of both sides',
    tests: {
      'test/unit/protocol/manifest.test.ts': ['is refused for a command without %s'],
      'test/unit/registry/schema-ports.test.ts': ['the ports of a command > '],
      'test/plugins/plugin-contract.test.ts': [
        'declares the protocol, and a specific schema for each side of each command',
        '$kind: $name',
      ],
      'test/unit/server/open-routes.test.ts': ['tools > have ports'],
    },
  },
  '§10.1': {
    says: 'a synchronous tool answers success, partial or error, and ends',
    tests: {
      'test/unit/validate/payload.test.ts': ['the status of a first answer > '],
      'test/contract/stdio/stopping.test.ts': ['is ended with a warning when it stays after its frame'],
    },
  },
  '§10.2': {
    says: 'what an in-process tool is given',
    tests: {
      'test/contract/direct-transport.test.ts': ['are given what §10.2 promises'],
      'test/unit/transport/direct.test.ts': [
        'a module in this process > may not answer with %s',
        'leaves resources through its writer',
      ],
      'test/unit/runtime/stragglers.test.ts': ['a module that goes on after its deadline > keeps its place'],
    },
  },
  '§10.3': {
    says: 'accepted, then a callback',
    tests: {
      'test/unit/runtime/tasks.test.ts': ['an accepted call > ', 'the end of a task > '],
      'test/unit/server/callbacks.test.ts': ['a callback that ends a task > ', 'a callback again > '],
      'test/contract/stdio/background-work.test.ts': ['a process in mode %s > '],
      'test/e2e/async-tasks.test.ts': ['an asynchronous call > '],
      'test/e2e/long-work.test.ts': ['a job > ', 'vcp call --wait > ', 'vcp tasks > '],
      'test/e2e/receiver.test.ts': ['a receiver > ', 'a server with a receiver > '],
      'test/contract/receiver.test.ts': ['a callback that a receiver takes > ', 'a server behind a receiver > '],
    },
  },
  '§10.4': {
    says: 'task states never go back',
    tests: {
      'test/unit/protocol/task.test.ts': ['task transitions > ', 'a task > refuses %j'],
      'test/unit/task/task-state.test.ts': ['the states of a task > '],
      'test/contract/suites/task-store.ts': [
        'leads on, keeps what it does not name, and never back',
        'comes once: of twenty at a time one is kept, and of the others nothing',
      ],
      'test/contract/task-life.test.ts': ['a task, whatever happens to it > '],
    },
  },
  '§10.5': {
    says: 'placeholders of tasks',
    tests: { 'test/unit/runtime/async-placeholder.test.ts': ['the placeholder of a task > '] },
    open: 'the chat loop, which replaces them',
  },
  '§10.6': {
    says: 'progress is no result; it is pushed to whom it belongs',
    tests: {
      'test/unit/events/event-hub.test.ts': ['an event > ', 'who hears of an event > ', 'coming back > '],
      'test/unit/events/log-events.test.ts': ['a line of the log > '],
      'test/property/event-hub.test.ts': ['the hub > loses nothing silently'],
      'test/contract/push-sockets.test.ts': [
        'who is let in > ',
        'what a client is sent > ',
        'a slow client > is dropped, and a healthy one loses nothing',
      ],
      'test/contract/push-streams.test.ts': ['a stream of events > '],
      'test/contract/event-feed.test.ts': ['the events of a client > come in order, also over connections that break'],
      'test/unit/runtime/announced-results.test.ts': ['webSocketPush > '],
      'test/unit/runtime/services.test.ts': ['what a service pushes > '],
      'test/unit/protocol/frames.test.ts': ['a progress event > never stands for a result'],
      'test/contract/stdio/output.test.ts': ['reports progress in order and then the result'],
      'test/unit/runtime/pipeline.test.ts': [
        'reports progress as events of its own, never as a result',
        'drops progress that is no report',
        'drops a flood of progress once it is one',
      ],
      'test/unit/server/call-stream.test.ts': [
        'gives progress while the tool runs, and then the result and nothing more',
        'tells nobody of the progress of somebody else’s call',
      ],
    },
    open: 'pushing events to clients that did not make the call',
  },
  '§11.1': {
    says: 'stdout is frames and nothing else',
    tests: {
      'test/contract/stdio/output.test.ts': ['refuses a frame of 20 MiB', 'leaves stderr out of a success'],
      'test/plugins/contract-runner.test.ts': ['a call of a careless plugin > is found out: %s'],
      'test/plugins/plugin-contract.test.ts': ['$kind: $name'],
      'test/unit/transport/stdio.test.ts': [
        'the frames of stdout > must be UTF-8',
        'the frames of stdout > quote the first offending bytes',
      ],
    },
  },
  '§11.2': {
    says: 'one JSON frame a line, in whatever pieces it comes',
    tests: {
      'test/contract/stdio/output.test.ts': [
        'puts a frame together that comes byte by byte',
        'loses nothing of 5 MB when the process ends at once',
      ],
      'test/unit/protocol/frames.test.ts': ['frames from a plugin > may be %j', 'frames from a plugin > may not be %j'],
      'test/property/frame-reader.test.ts': ['gives the same frames and faults wherever its input is cut'],
    },
  },
  '§11.3': {
    says: 'the verdict on an exit code and what was printed',
    tests: {
      'test/contract/stdio/verdicts.test.ts': ['what a process printed and how it ended > '],
      'test/unit/transport/stdio.test.ts': ['the verdict on a process (§11.3) > '],
    },
  },
  '§11.4': {
    says: 'cancelling ends the process',
    tests: { 'test/contract/stdio/stopping.test.ts': ['a cancelled call > ', 'what a process leaves behind > '] },
  },
  '§12.1': { says: 'nodes negotiate the protocol version', planned: 'distributed nodes are not built' },
  '§12.2': { says: 'results cross nodes unwrapped', planned: 'distributed nodes are not built' },
  '§12.3': {
    says: 'the bridge envelope',
    tests: {
      'test/unit/protocol/frames.test.ts': ['a bridge envelope > '],
      'test/conformance/scenarios/views.ts': [
        'gives a bridge one envelope around the canonical result, and nothing beside it',
      ],
    },
  },
};
