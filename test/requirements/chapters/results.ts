import type { Requirements } from '../requirement.ts';

/** §2–§7: principles, modules, the payload and the canonical result, errors, resources. */
export const resultRequirements: Requirements = {
  '§2.2': {
    says: 'one canonical result, every consumer its own projection, losses only at the last border',
    tests: {
      'test/conformance/scenarios/views.ts': [
        'gives the same canonical result to the caller and to everyone who reads it later',
        'keeps secrets from models and audits, says where they were, and leaves the stored result as it is',
      ],
      'test/unit/canonical/canonical.test.ts': ['is sealed all the way down'],
      'test/requirements/sources.test.ts': ['hold no trace of the legacy patterns'],
    },
  },
  '§4.1': {
    says: 'the orchestrator forms a canonical result of whatever happens, and knows no tool',
    tests: {
      'test/unit/runtime/approvals.test.ts': ['a call that needs approval > ', 'rules on approval > '],
      'test/conformance/scenarios/payload.ts': ['fills in what a payload may leave out'],
      'test/conformance/scenarios/tools.ts': [
        'answers a tool that does not exist with a result, not with an HTTP error',
      ],
      'test/requirements/sources.test.ts': ['name no plugin in the core or an adapter'],
      'test/unit/runtime/failures.test.ts': ['a call always resolves with a canonical result > for %s'],
      'test/unit/runtime/hostile-results.test.ts': ['names of absurd length > ', 'a result with a text of 8 MB > '],
      'test/unit/runtime/pipeline.test.ts': ['a call that comes through > says who called what'],
    },
  },
  '§4.2': {
    says: 'a transport carries payloads and judges none',
    tests: {
      'test/contract/suites/transport.ts': [
        'carries arguments there and the payload back, unjudged',
        'does not mind what the payload says',
        'stops at the deadline',
        'stops when it is cancelled',
      ],
    },
  },
  '§4.3': {
    says: 'payloads are validated, unknown and forged fields refused',
    tests: {
      'test/conformance/scenarios/payload.ts': ['refuses %s, and points at it', 'refuses a forged %s'],
      'test/unit/validate/payload.test.ts': ['a plugin’s answer > is refused when it forges "%s"'],
    },
  },
  '§4.4': {
    says: 'the builder adds what the core knows, leaves data alone and seals the whole',
    tests: {
      'test/unit/canonical/canonical.test.ts': [
        'has the fields of §5.3 in their order',
        'is sealed all the way down',
        'has the business data that it was given, untouched',
      ],
      'test/unit/runtime/pipeline.test.ts': ['is sealed: neither its reader nor its plugin can change it'],
    },
  },
  '§4.5': {
    says: 'resources are recognised, measured, hashed, published and bounded',
    tests: {
      'test/conformance/scenarios/resources.ts': [
        'recognises $name by its bytes, measures, hashes and serves it',
        'refuses a resource that is too large, and keeps a result of as much as is allowed',
      ],
      'test/unit/resources/publish.test.ts': ['publishing > '],
    },
    open: 'a data URI in data is not taken out yet',
  },
  '§4.6': {
    says: 'each consumer sees what it may; the stored result is not changed',
    tests: {
      'test/unit/policy/apply-policy.test.ts': [
        'the %s view for %s: %s',
        'names every place and reason, never what stood there',
        'leaves the stored one alone',
      ],
      'test/unit/policy/hidden-fields.test.ts': [
        'what a process said on stderr > is in the %s view for %s: %s',
        'the plugin’s words in a resource > ',
      ],
      'test/unit/server/reading.test.ts': ['is redacted for the one who reads, not for the one who called'],
      'test/unit/server/calls.test.ts': ['redacts for a person, not for an operator'],
    },
  },
  '§4.7': {
    says: 'presenters are pure projections',
    tests: {
      'test/unit/present/ai-sections.test.ts': ['does not change the result that it was made of'],
      'test/unit/present/views.test.ts': [
        'the human view > ',
        'the workflow view > ',
        'the bridge view > ',
        'the audit view > ',
      ],
    },
  },
  '§4.8': {
    says: 'the asynchronous task service',
    tests: {
      'test/unit/runtime/tasks.test.ts': ['the end of a task > ', 'work behind an accepted answer > '],
      'test/unit/server/tasks.test.ts': ['tasks > ', 'the events of a task > '],
      'test/e2e/async-tasks.test.ts': ['a server that stops > '],
    },
  },
  '§4.9': {
    says: 'records keep the audit projection, no Base64 and no secrets',
    tests: {
      'test/unit/runtime/approvals.test.ts': [
        'a call that needs approval > says on its result and its record who decided',
      ],
      'test/conformance/scenarios/resources.ts': ['keeps no Base64 in the result, its views and its record'],
      'test/conformance/scenarios/views.ts': ['keeps what identifies a call in its audit view'],
      'test/conformance/node.test.ts': ['keeps no Base64 in its database'],
      'test/unit/present/views.test.ts': ['the audit view > bounds ', 'the audit view > lists a hundred redactions'],
      'test/unit/runtime/hostile-results.test.ts': ['the record of a call > is small, whatever the result has'],
      'test/unit/runtime/pipeline.test.ts': ['leaves a record with its ids, and logs them without payload'],
    },
  },
  '§5.1': {
    says: 'a plugin cannot write the core’s fields',
    tests: { 'test/conformance/scenarios/payload.ts': ['refuses a forged %s'] },
  },
  '§5.2': {
    says: 'the payload of success, failure and acceptance',
    tests: {
      'test/conformance/scenarios/payload.ts': ['takes a payload of %s'],
      'test/unit/protocol/specification-examples.test.ts': ['%s is a payload, and stays as it was written'],
    },
  },
  '§5.3': {
    says: 'the canonical result',
    tests: {
      'test/unit/protocol/specification-examples.test.ts': ['§5.3 is a canonical result'],
      'test/unit/canonical/canonical.test.ts': ['has the fields of §5.3 in their order'],
    },
  },
  '§5.4': {
    says: 'every top-level field is always there',
    tests: {
      'test/e2e/first-call.test.ts': ['returns a canonical result with every field'],
      'test/conformance/scenarios/payload.ts': ['fills in what a payload may leave out'],
    },
  },
  '§5.5': {
    says: 'the status table',
    tests: {
      'test/unit/protocol/status-table.test.ts': ['the status table of §5.5 > '],
      'test/conformance/scenarios/payload.ts': ['takes a payload of %s', 'refuses %s, and points at it'],
    },
  },
  '§5.6': {
    says: 'data is the truth: native types, references, nothing binary',
    tests: {
      'test/unit/resources/publish.test.ts': ['replaces the plugin’s own ids wherever they stand, and nothing else'],
      'test/conformance/scenarios/payload.ts': ['holds data against the output schema'],
      'test/plugins/contract-runner.test.ts': ['a call of a careless plugin > is found out: %s'],
      'test/unit/runtime/pipeline.test.ts': ['publishes resources before data is held against its schema'],
      'test/property/rewrite-references.test.ts': ['rewriteReferences > replaces every published id'],
    },
  },
  '§5.7': {
    says: 'warnings have a code, a message and a place',
    tests: {
      'test/unit/protocol/payload.test.ts': ['accepts warnings with or without a namespace, upper case only'],
      'test/conformance/scenarios/views.ts': ['gives a model text in the order of §8.2'],
    },
  },
  '§5.8': {
    says: 'presentation hints',
    tests: {
      'test/unit/protocol/payload.test.ts': [
        'keeps unknown fields out of errors, tasks, warnings, presentation and advice too',
      ],
      'test/unit/resources/publish-names.test.ts': [
        'stands in for presentation and advice that a result does not have',
      ],
    },
  },
  '§5.9': {
    says: 'advice is cleaned, bounded, kept apart and never acted on',
    tests: {
      'test/unit/present/ai-hostile.test.ts': ['advice > '],
      'test/unit/present/ai-sections.test.ts': ['that are not shown take their advice with them'],
      'test/unit/present/views.test.ts': ['has the fields that a workflow branches on, and advice that nobody acts on'],
    },
  },
  '§5.10': {
    says: 'extensions carry a namespace',
    tests: {
      'test/unit/protocol/payload.test.ts': ['extensions > accepts the namespaced key', 'extensions > refuses the key'],
    },
  },
  '§6.1': {
    says: 'the error object loses nothing',
    tests: {
      'test/conformance/scenarios/payload.ts': [
        'never holds an error against the schema of success, and loses nothing of it',
      ],
      'test/unit/canonical/canonical.test.ts': ['keeps every structured detail'],
    },
  },
  '§6.2': {
    says: 'ten categories, seven of them the core’s',
    tests: {
      'test/conformance/scenarios/payload.ts': ['replaces the category "%s"', 'keeps the category "%s"'],
      'test/unit/canonical/canonical.test.ts': ['a failure of the core > %s is of category %s'],
      'test/pins/protocol.test.ts': ['has these error categories'],
    },
  },
  '§6.3': {
    says: 'standard and namespaced codes',
    tests: {
      'test/unit/protocol/payload.test.ts': ['error codes > accepts %s', 'error codes > refuses "%s"'],
      'test/conformance/scenarios/payload.ts': ['warns of an error code that the manifest does not declare'],
      'test/pins/protocol.test.ts': ['has these error codes, each of its category'],
    },
  },
  '§6.4': {
    says: 'failures are results; only what cannot be one is thrown',
    tests: {
      'test/contract/direct-transport.test.ts': ['a module that throws > '],
      'test/conformance/scenarios/views.ts': ['tells of an error in every view, and raises it in none'],
      'test/unit/runtime/failures.test.ts': ['a call always resolves with a canonical result > '],
      'test/unit/runtime/pipeline.test.ts': ['a store that fails > does not take the result away'],
    },
  },
  '§7.1': {
    says: 'the resource descriptor',
    tests: {
      'test/unit/protocol/specification-examples.test.ts': ['§7.1 is a descriptor'],
      'test/conformance/scenarios/resources.ts': ['recognises $name by its bytes, measures, hashes and serves it'],
    },
  },
  '§7.2': { says: 'kinds', tests: { 'test/unit/resources/media-type.test.ts': ['the kind > of %s is %s'] } },
  '§7.3': {
    says: 'roles',
    tests: {
      'test/unit/resources/publish-names.test.ts': ['is met by a resource of that kind and role, or by nothing there'],
    },
  },
  '§7.4': {
    says: 'drafts name one place of their bytes; paths stay inside and are not shown',
    tests: {
      'test/contract/stdio/local-resources.test.ts': ['a file in the directory of the call > '],
      'test/contract/local-files.test.ts': ['a path that leads elsewhere > '],
      'test/contract/publish-directory.test.ts': ['is published as one ZIP with all its files'],
      'test/conformance/scenarios/resources.ts': [
        'refuses the path %s',
        'takes a resource that the plugin wrote through its writer',
      ],
    },
  },
  '§7.5': {
    says: 'Base64 becomes a resource; bytes decide the type',
    tests: {
      'test/unit/resources/media-type.test.ts': [
        'follows the order of §7.5 when the bytes say nothing',
        'is never one that the bytes contradict',
        'the media type > of %s',
      ],
      'test/unit/resources/publish.test.ts': [
        'warns of a type that the bytes contradict, and replaces it',
        'gives HTML that claims to be a picture no picture’s type',
      ],
      'test/unit/resources/real-files.test.ts': ['is described by its bytes alone: %s', 'is what it is: %s as %s'],
      'test/unit/resources/extract-inline.test.ts': [
        'becomes a resource, its field a reference, and a warning says so',
        'is not seen where there is none: %s',
        'is always a reference: %s',
        'bound %s: what is more stays, with a warning',
      ],
      'test/property/extract-inline.test.ts': ['and putting their bytes back gives the value that there was'],
      'test/conformance/scenarios/resources.ts': [
        'takes files out of data that stand there as text',
        'leaves text in data alone that only looks like Base64',
        'does not believe a GIF that is %s',
      ],
    },
  },
  '§7.6': {
    says: 'managed, external and ephemeral URLs',
    tests: {
      'test/conformance/scenarios/resources.ts': ['describes an external URL without its credentials'],
      'test/conformance/node.test.ts': ['does not fetch an external URL'],
      'test/unit/server/resource-links.test.ts': [
        'opens a resource to somebody without a key, for a time',
        'never lasts longer than the server allows',
        'opens nothing when it was tampered with',
      ],
      'test/unit/lib/resource-addresses.test.ts': ['opens its resource until its end'],
      'test/contract/mirror-resource.test.ts': [
        'is fetched into the store and described by its bytes',
        'stays where it is, with a warning, when %s',
      ],
    },
  },
};
