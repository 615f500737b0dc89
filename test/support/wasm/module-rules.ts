import { DEFAULT_MODULE_RULES, type ModuleRules } from '../../../src/sandbox/module-rules.ts';

export const rulesWith = (rules: Partial<ModuleRules> = {}): ModuleRules => ({
  ...DEFAULT_MODULE_RULES,
  memoryPages: 256,
  ...rules,
});
