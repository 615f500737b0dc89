import { isPromptVariable } from '../../lib/variable-names.ts';
import type { PromptFiles } from '../../ports/prompt-files.ts';
import { matchesModel } from './matches-model.ts';
import { templateValue, type VariableSource, type VariableValue } from './variable-source.ts';

export type PromptOptions = {
  /** The operator's `Tar…`, `Var…` and `Sar…` settings, as they are now. What has another name is never looked at. */
  readonly settings: ReadonlyMap<string, string>;
  readonly files: PromptFiles;
  /** The model that the request is for. */
  readonly model: string;
};

const AGENT = 'agent:';
const CONDITION = 'SarModel';
const CONDITIONAL = 'SarPrompt';

/**
 * What the operator has written: `{{Tar…}}` and `{{Var…}}` from the settings, where a value that ends in `.txt` names a
 * file; `{{SarPromptN}}` when the model is in the list `SarModelN`, and else nothing; `{{agent:Name}}` from
 * `agents/Name.txt`.
 */
export const promptVariables = ({ settings, files, model }: PromptOptions): VariableSource => {
  const fileValue = async (path: string): Promise<VariableValue | null> => {
    const text = await files.read(path);
    return text === null ? null : templateValue(text);
  };

  const valueOf = async (setting: string): Promise<VariableValue> => {
    const path = setting.trim();
    if (!/\.txt$/i.test(path)) return templateValue(setting);
    const value = await fileValue(path);
    if (value === null) throw new Error(`the file ${path} that it names is not in the directory of prompts`);
    return value;
  };

  return {
    find: async (name) => {
      if (name.startsWith(AGENT)) return await fileValue(`agents/${name.slice(AGENT.length)}.txt`);
      if (!isPromptVariable(name) || name.startsWith(CONDITION)) return null;
      const setting = settings.get(name);
      if (setting === undefined) return null;
      if (!name.startsWith('Sar')) return await valueOf(setting);
      if (!name.startsWith(CONDITIONAL)) return null;
      const condition = CONDITION + name.slice(CONDITIONAL.length);
      const models = settings.get(condition);
      if (models === undefined) throw new Error(`${condition}, the models that it is for, is not set`);
      return matchesModel(models, model) ? await valueOf(setting) : templateValue('');
    },
  };
};
