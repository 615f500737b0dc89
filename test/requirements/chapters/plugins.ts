import type { Requirements } from '../requirement.ts';

/** §13–§16: what plugins do, the core’s interfaces, manifests, the ledger. */
export const pluginRequirements: Requirements = {
  '§13.1': {
    says: 'what a plugin must do',
    tests: { 'test/plugins/plugin-contract.test.ts': ['$kind: $name', 'runs the example of $name as it stands'] },
  },
  '§13.2': {
    says: 'what a plugin must not do',
    tests: {
      'test/plugins/plugin-contract.test.ts': ['$kind: $name'],
      'test/plugins/contract-runner.test.ts': [
        'a call of a careless plugin > is found out: %s',
        'a job of a careless plugin > is found out: %s',
        'lets a plugin repeat the caller’s own words',
      ],
    },
  },
  '§13.3': {
    says: 'the image example',
    tests: {
      'test/unit/protocol/specification-examples.test.ts': ['%s is a payload, and stays as it was written'],
      'test/plugins/plugin-contract.test.ts': ['is read by AI and people as reviewed: $name'],
      'plugins-direct/ChartImage/tests/chart-image.test.mjs': [
        'answers with one PNG, written through the resource writer',
      ],
    },
  },
  '§13.4': {
    says: 'the ScheduleManager example',
    tests: {
      'test/conformance/scenarios/tools.ts': ['(3) lets a person add, list and delete a schedule'],
      'test/plugins/plugin-contract.test.ts': ['is read by AI and people as reviewed: $name'],
    },
  },
  '§14.1': {
    says: 'one way to execute a call',
    tests: {
      'test/unit/approval/judge-approval.test.ts': ['whether a call needs approval > '],
      'test/conformance/scenarios/payload.ts': ['fills in what a payload may leave out'],
      'test/plugins/plugin-contract.test.ts': ['$kind: $name'],
      'test/unit/runtime/pipeline.test.ts': [
        'hands the tool what it needs, defaults filled in',
        'is recorded also when its caller asks for no record',
      ],
      'test/unit/runtime/patience.test.ts': ['time and patience > ', 'a crowd > '],
      'test/unit/validate/arguments.test.ts': ['share no default with the next call'],
    },
  },
  '§14.2': {
    says: 'each consumer asks its presenter',
    tests: {
      'test/conformance/scenarios/views.ts': [
        'gives a workflow native types',
        'gives a bridge one envelope',
        'gives a model text',
        'keeps what identifies a call in its audit view',
      ],
    },
  },
  '§14.3': {
    says: 'the registry finds, loads and defines; it runs nothing',
    tests: {
      'test/unit/registry/compile-plugin.test.ts': [
        'a registry > refuses a bad plugin alone',
        'a registry > keeps what is not called apart from the tools',
        'a description > tells how a tool is called and nothing of how it runs',
      ],
      'test/contract/request-processor.test.ts': [
        'static plugins on a server > ',
        'message preprocessors on a server > ',
      ],
      'test/e2e/refused-plugins.test.ts': ['a plugin that cannot be served > '],
    },
    open: 'services, distributed tools',
  },
  '§14.4': {
    says: 'nothing branches on a tool’s name',
    tests: { 'test/requirements/sources.test.ts': ['name no plugin in the core or an adapter'] },
  },
  '§15': {
    says: 'the manifest; a bad schema refuses its tool alone',
    tests: {
      'test/unit/protocol/manifest.test.ts': ['a manifest > '],
      'test/unit/registry/compile-plugin.test.ts': [
        'a plugin > is refused for %s',
        'refuses a bad plugin alone',
        'a plugin that the server asks by itself > ',
      ],
      'test/unit/lib/json-schema.test.ts': ['a schema that cannot be used > '],
      'test/unit/registry/unserved-promises.test.ts': ['a manifest that asks for what this version does not do > '],
      'test/unit/resources/publish-names.test.ts': ['what the manifest declares > '],
      'test/contract/stdio/manifest-limits.test.ts': [
        'limits.outputBytes of a manifest > ',
        'limits.logBytes of a manifest > ',
      ],
      'test/contract/plugin-configuration.test.ts': ['the configuration of a plugin > '],
    },
  },
  '§16.3': {
    says: 'the migration ledger, on evidence',
    tests: {
      'test/plugins/plugin-contract.test.ts': ['the migration ledger (§16.3) > '],
      'test/plugins/contract-runner.test.ts': ['leave every field of the ledger false that nothing proves'],
    },
  },
};
