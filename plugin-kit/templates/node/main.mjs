import { PluginError, servePlugin } from './vcp-plugin.mjs';

servePlugin({
  Count: ({ text }) => {
    const words = text.split(/\s+/).filter((word) => word !== '').length;
    if (words === 0) {
      throw new PluginError('TEXT.EMPTY', 'text holds no word; give one with at least one letter', { target: 'text' });
    }
    return { data: { words }, presentation: { summary: `${words} words` } };
  },
});
