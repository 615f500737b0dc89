import type { Requirements } from '../requirement.ts';

/** §17–§22, as the design states them: test suites, observation, security, gates, upgrades. */
export const qualityRequirements: Requirements = {
  '§17.1': {
    says: 'schemas pass what is right and fail what is wrong',
    tests: {
      'test/conformance/scenarios.ts': ['payloads (§17.1)'],
      'test/conformance/scenarios/payload.ts': [
        'takes a payload of %s',
        'refuses %s, and points at it',
        'refuses a forged %s',
      ],
      'test/unit/protocol/json-schemas.test.ts': ['%s.schema.json > '],
      'test/pins/json-schemas-by-ajv.test.ts': ['agrees on the samples of %s'],
    },
  },
  '§17.2': {
    says: 'transports under every kind of output, failure and end',
    tests: {
      'test/contract/stdio/output.test.ts': ['large output > ', 'output in pieces > '],
      'test/contract/stdio/verdicts.test.ts': ['what a process printed and how it ended > '],
      'test/contract/stdio/stopping.test.ts': ['the deadline > ', 'a cancelled call > '],
      'test/contract/direct-transport.test.ts': ['a module that throws > ', 'a structure that JSON cannot carry > '],
      'test/contract/suites/transport.ts': ['transport: '],
      'test/property/frame-reader.test.ts': ['the frame reader > '],
      'test/unit/transport/direct.test.ts': ['that hangs is not waited for'],
    },
    open: 'distributed',
  },
  '§17.3': {
    says: 'resources of every type and trick',
    tests: {
      'test/conformance/scenarios.ts': ['resources (§17.3)'],
      'test/conformance/scenarios/resources.ts': [
        'recognises $name by its bytes',
        'takes a data URI',
        'takes files out of data',
        'leaves text in data alone',
        'does not believe a GIF that is %s',
        'refuses the path %s',
        'refuses a resource that is too large',
        'gives two resources of the same bytes two ids and one blob',
        'describes an external URL',
        'keeps no Base64 in the result',
      ],
      'test/conformance/node.test.ts': ['behind the socket > '],
    },
    open: 'expired URLs',
  },
  '§17.4': {
    says: 'five views of one result',
    tests: {
      'test/conformance/scenarios.ts': ['views (§17.4)'],
      'test/conformance/scenarios/views.ts': [
        'tells of an error in every view',
        'tells of both halves of a partial result',
        'keeps a model within its budget',
      ],
      'test/unit/present/ai-sections.test.ts': ['names the task of an accepted call and its placeholder'],
    },
  },
  '§17.5': {
    says: 'the plugin contract',
    tests: {
      'test/plugins/plugin-contract.test.ts': [
        'has a success, an argument error and an edge case of $commandIdentifier',
        '$kind: $name',
      ],
      'test/plugins/contract-runner.test.ts': ['a call of a careless plugin > ', 'the contract checks > '],
    },
  },
  '§17.6': {
    says: 'ten jobs end to end',
    tests: {
      'test/conformance/scenarios/tools.ts': [
        '(3) lets a person add, list and delete a schedule',
        '(10) reads a call back: its record, and the result under it',
      ],
      'test/property/approved-calls.test.ts': ['are made at most once'],
      'test/e2e/approvals.test.ts': [
        'a call that needs approval > is made once it is approved',
        'a call that needs approval > is not made when it is rejected',
        'a call that needs approval > is not made when nobody decides in time',
        'a call whose caller does not wait for the approval > ',
      ],
      'test/unit/chat/conversations.test.ts': [
        'a conversation with tools > runs the calls of an answer, feeds their results back, and gives one answer',
        'a conversation with tools > streams the text as it comes, whole markers hidden, and ends with one [DONE]',
      ],
      'test/unit/chat/conversation-edges.test.ts': [
        'a result that tries to be more than a result > ',
        'files of results > reach a model as bytes',
      ],
      'test/e2e/recorded-upstreams.test.ts': [
        'an upstream that answers as $kind does > has its blocks run',
        'an upstream that answers as $kind does > calls our tools in its own way',
      ],
      'test/contract/chat/openai-sdk.test.ts': ['the library of OpenAI > has a conversation of several rounds'],
      'test/e2e/shutdown.test.ts': ['kill -9 > loses no result and no record that was answered'],
      'test/e2e/late-calls.test.ts': ['are ended, stored and on record when the server has ended'],
      'test/e2e/schedules.test.ts': [
        'a scheduled call (§17.6, 5) > ',
        'two servers on one database > ',
        'a server that is killed while a scheduled call runs > ',
        'a server that was down > ',
        'the key that a schedule was made with > ',
      ],
      'test/unit/runtime/scheduler.test.ts': [
        'the scheduler > ',
        'times that pass without a run > ',
        'a clock that is set > ',
      ],
      'test/unit/schedule/due-times.test.ts': [
        'due times where clocks go forward > ',
        'due times where clocks go back > ',
      ],
      'test/e2e/async-tasks.test.ts': ['an asynchronous call > ', 'a server that stops > '],
      'test/e2e/long-work.test.ts': ['a job > ', 'a server that ends in the middle of a job > '],
    },
    open: '4 workflows; 7 nodes; 9 the full policy',
  },
  '§18.1': {
    says: 'metrics',
    tests: {
      'test/unit/runtime/call-figures.test.ts': [
        'the figures of a call > ',
        'the figures of requests and views > ',
        'the load of a runtime > ',
      ],
      'test/contract/prometheus-metrics.test.ts': ['figures for Prometheus > '],
      'test/e2e/metrics.test.ts': ['GET /metrics on a running server > '],
      'test/unit/runtime/tasks.test.ts': ['the figures of tasks > '],
      'test/unit/chat/conversation-edges.test.ts': ['are figures: conversations by how they ended'],
    },
  },
  '§18.2': {
    says: 'one call’s ids join its records and events',
    tests: {
      'test/unit/runtime/announced-results.test.ts': [
        'a call that has ended > is told of, with all of its ids and nothing of its data',
      ],
      'test/conformance/scenarios/tools.ts': ['(10) reads a call back: its record, and the result under it'],
      'test/unit/present/views.test.ts': ['names the call by all its ids'],
      'test/unit/runtime/pipeline.test.ts': ['leaves a record with its ids, and logs them without payload'],
      'test/unit/runtime/call-logs.test.ts': ['the log lines of a call > '],
      'test/unit/transport/wasm/host-functions.test.ts': ['log > writes events with the ids of the call'],
      'test/unit/runtime/spans.test.ts': ['carry the ids of the call, and nothing that it was about'],
      'test/e2e/metrics.test.ts': ['joins the lines of one call by its ids'],
      'test/unit/server/callbacks.test.ts': ['what is left of an asynchronous call > '],
      'test/e2e/async-tasks.test.ts': [
        'is accepted, calls back and is read by its owner; every trace of it has its ids',
      ],
      'test/unit/chat/conversation-edges.test.ts': ['are records of its calls, joined by the id of its request'],
    },
  },
  '§18.3': {
    says: 'memory is bounded by limits, not by what comes in',
    tests: {
      'test/contract/publish-streaming.test.ts': ['a file of 64 MiB is never more than a piece ahead of the disk'],
      'test/contract/stdio/output.test.ts': [
        'refuses a frame of 20 MiB',
        'keeps the end of 50 MB on stderr, and not the rest in memory',
      ],
      'test/contract/suites/resource-store.ts': ['stops reading %s that is over the limit'],
      'test/contract/chat/pass-through.test.ts': [
        'a request for an embedding model > carries many megabytes both ways',
      ],
      'test/unit/lib/parse-json.test.ts': [
        'refuses a depth bomb before anything parses it',
        'bounds the number of values',
      ],
      'test/unit/transport/wasm/host-functions.test.ts': [
        'log > keeps what fits, drops the rest',
        'a guest that keeps the server busy > ',
      ],
      'test/unit/transport/wasm/host-storage.test.ts': ['kv_get and kv_set > are full where'],
      'test/unit/transport/wasm/http-request.test.ts': ['http_request > counts the bytes of all bodies'],
      'test/unit/lib/json-schema.test.ts': ['tries one value against too many subschemas'],
      'test/unit/lib/schema-messages.test.ts': ['items that must be unique > are compared in linear time'],
      'test/unit/present/ai-budget.test.ts': ['bounds the work: 100,000 rows cost about what 1,000 do'],
      'test/unit/runtime/hostile-results.test.ts': ['the record of a call > is small, whatever the result has'],
      'test/unit/chat/event-stream-body.test.ts': ['reads its source no faster than it is read', 'lets go of a reader'],
      'test/unit/chat/conversation-edges.test.ts': ['end a conversation that they make too large'],
      'test/e2e/hostile-clients.test.ts': ['a request over the limit > '],
    },
  },
  '§19.1': {
    says: 'paths stay inside their root, and no path of the host is shown',
    tests: {
      'test/contract/local-files.test.ts': [
        'a path that leads elsewhere > ',
        'never reads a file outside, however fast',
      ],
      'test/unit/policy/redaction.test.ts': ['text that shows a path of the host > '],
      'test/e2e/resources.test.ts': ['gives out no path of this host when a plugin tries to leave its directory'],
    },
  },
  '§19.2': {
    says: 'URLs from data are fetched under guard',
    tests: {
      'test/contract/guarded-fetch.test.ts': [
        'an address that is not open > ',
        'a redirect > ',
        'a bound of a guarded fetch > ',
        'a guarded fetch > ',
        'a body that is passed on > ',
      ],
      'test/contract/upstream.test.ts': ['a redirect > '],
      'test/contract/chat/pass-through.test.ts': ['what an upstream says of itself > is not a way elsewhere'],
      'test/contract/wasm-host.test.ts': [
        'HTTP of a guest > reaches no address of this machine',
        'HTTP of a guest > follows no redirect to an address of this machine',
      ],
      'test/unit/transport/wasm/http-refusal.test.ts': ['a grant of the web > '],
      'test/contract/mirror-resource.test.ts': [
        'is asked for without credentials, and none are told',
        'is not fetched from this machine',
      ],
    },
  },
  '§19.3': {
    says: 'secrets, addresses and environments are redacted',
    tests: {
      'test/unit/policy/redaction.test.ts': ['text that holds a secret > ', 'hostile texts > take time in proportion'],
      'test/unit/policy/redact-value.test.ts': [
        'fields > named %s hold a secret',
        'fields > lose a snapshot of the environment',
      ],
      'test/unit/policy/hidden-fields.test.ts': ['what a process said on stderr > '],
      'test/unit/present/ai-secrets.test.ts': ['a secret that a cut falls into > '],
      'test/property/secrets-in-views.test.ts': ['a secret that was planted somewhere in a result > '],
      'test/unit/chat/upstream-faults.test.ts': [
        'an answer that is an error > never shows the key, nor what is private, and is short',
      ],
      'test/contract/chat/pass-through.test.ts': [
        'a request for an embedding model > takes nothing else of the caller along',
        'what an upstream says of itself > stays behind',
        'what an upstream says of itself > holds no key',
      ],
      'test/unit/policy/caller-given.test.ts': ['what a caller named > '],
      'test/unit/lib/schema-messages.test.ts': ['a mistyped secret > '],
      'test/contract/wasm-host.test.ts': ['takes secrets and the directories of the server out of what a guest logs'],
      'test/e2e/private-data.test.ts': ['a plugin > that asks for the key of the server is refused'],
      'test/contract/stdio/output.test.ts': ['is an allow-list: nothing secret of the host gets in'],
    },
  },
  '§19.4': {
    says: 'callbacks are signed, timely and not replayed',
    tests: {
      'test/unit/task/task-tokens.test.ts': ['the token of a task > '],
      'test/unit/server/callbacks.test.ts': [
        'who may call back > ',
        'a callback that is not valid > ',
        'a token in the address > ',
      ],
    },
  },
  '§21': {
    says: 'the gates: declared, clean, complete on evidence',
    tests: {
      'test/plugins/plugin-contract.test.ts': [
        'declares the protocol, and a specific schema for each side of each command',
        'is complete: every command is migrated on evidence (§21)',
      ],
      'test/requirements/sources.test.ts': ['hold no trace of the legacy patterns'],
      'test/conformance/node.test.ts': ['keeps no Base64 in its database'],
    },
  },
  '§22': { says: 'core and plugins move together, tasks are drained', planned: 'comes with tasks and nodes' },
};
