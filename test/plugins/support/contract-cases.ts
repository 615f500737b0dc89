export * from '../../../adapters/node/plugin-check/contract-cases.ts';
