import { env } from 'cloudflare:test';
import { createR2PromptFiles, PROMPTS } from '../../adapters/r2/r2-prompt-files.ts';
import { describePromptFiles } from '../contract/suites/prompt-files.ts';

describePromptFiles('R2', async (maxBytes) => ({
  files: createR2PromptFiles(env.RESOURCES, maxBytes),
  put: async (path, text) => void (await env.RESOURCES.put(PROMPTS + path, text)),
  close: async () => {
    const { objects } = await env.RESOURCES.list({ prefix: PROMPTS });
    await env.RESOURCES.delete(objects.map(({ key }) => key));
  },
}));
