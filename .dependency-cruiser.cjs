// Imports point one way: protocol → lib → ports → stages → runtime → instruction, chat, mcp, inbox → server → adapters.
// (dependency-cruiser reads TypeScript through the compiler API, which TypeScript 7 does not have: that is why
// `typescript` 6 is a development dependency beside the faster `typescript-7`, which checks the types.)

const stages = [
  'registry',
  'transport',
  'validate',
  'canonical',
  'resources',
  'policy',
  'record',
  'task',
  'approval',
  'schedule',
  'events',
  'present',
  'sandbox',
];

/** From the bottom to the top; folders in one entry are siblings. */
const layers = [
  ['protocol'],
  ['lib'],
  ['ports'],
  stages,
  ['runtime'],
  ['instruction', 'chat', 'mcp', 'inbox'],
  ['server'],
];

const inside = (folders) => `^src/(?:${folders.join('|')})/`;

const upward = layers.slice(0, -1).map((folders, rank) => ({
  name: `${rank === 3 ? 'stages' : folders.join('-')}-import-nothing-above`,
  severity: 'error',
  from: { path: inside(folders) },
  to: { path: inside(layers.slice(rank + 1).flat()) },
}));

module.exports = {
  forbidden: [
    ...upward,
    {
      name: 'protocol-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/protocol/' },
      to: { path: '^(?:src|adapters)/', pathNot: '^src/protocol/' },
    },
    {
      name: 'stages-do-not-import-each-other',
      comment: 'What a stage needs of another comes in as an argument or a port.',
      severity: 'error',
      from: { path: `^src/(${stages.join('|')})/` },
      to: { path: inside(stages), pathNot: '^src/(?:$1|registry)/' },
    },
    {
      name: 'stages-take-only-types-from-the-registry',
      severity: 'error',
      from: { path: inside(stages), pathNot: '^src/registry/' },
      to: { path: '^src/registry/', dependencyTypesNot: ['type-only', 'type-import'] },
    },
    {
      name: 'sdk-stands-on-protocol-and-lib',
      comment: 'The client and the plugin kit are shipped to others without the runtime.',
      severity: 'error',
      from: { path: '^src/(client|plugin-kit)/' },
      to: { path: '^(?:src|adapters)/', pathNot: '^src/(?:$1|protocol|lib)/' },
    },
    {
      name: 'plugin-kit-is-one-file',
      comment: 'It is copied beside a plugin, without anything else of ours.',
      severity: 'error',
      from: { path: '^plugin-kit/(?:node|python)/' },
      to: { dependencyTypesNot: ['core'] },
    },
    {
      name: 'javascript-kit-stands-alone',
      comment: 'It runs inside a sandbox: no Node, and nothing of ours but itself.',
      severity: 'error',
      from: { path: '^plugin-kit/javascript/' },
      to: { pathNot: '^plugin-kit/javascript/|whatwg-url-minimum' },
    },
    {
      name: 'core-imports-no-adapter',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(?:adapters|plugin-kit|scripts|test|bench|examples)/' },
    },
    {
      name: 'core-imports-no-runtime',
      comment: 'Web APIs only: the same files run on Node, Deno and Workers.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'core-imports-no-runtime-scheme',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(?:node|cloudflare|deno|bun):' },
    },
    {
      name: 'portable-tests-import-no-node',
      comment: 'test/unit and test/property also run on Deno and inside workerd.',
      severity: 'error',
      from: { path: '^test/(?:unit|property)/' },
      to: { path: '^node:|^adapters/(?:node|deno|cloudflare|fs|sqlite|postgres|nats)/' },
    },
    {
      name: 'portable-tests-import-no-core-module',
      severity: 'error',
      from: { path: '^test/(?:unit|property)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-development-tool-at-run-time',
      severity: 'error',
      from: { path: '^(?:src|adapters)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'type-import'] },
    },
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(?:cloudflare:|vcp-plugin$)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Templates become plugins elsewhere, and AssemblyScript is no TypeScript.
    exclude: {
      path: '^(?:bench/http-call/peers|plugin-kit/templates|plugin-kit/assemblyscript|test/fixtures/assemblyscript)/',
    },
    tsPreCompilationDeps: true, // sees type imports too
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
