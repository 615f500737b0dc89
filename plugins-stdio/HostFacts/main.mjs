import { servePlugin } from '../../plugin-kit/node/vcp-plugin.mjs';
import { describeFacts } from './describe-facts.mjs';
import { measureFacts } from './measure-facts.mjs';
import { readFacts } from './read-facts.mjs';

servePlugin({
  Refresh: async () => {
    const { HOST_FACTS_FILE: file, HOST_FACTS_DISKS: disks = '/', HOST_FACTS_LANGUAGE: language } = process.env;
    const facts = file === undefined ? await measureFacts(disks) : await readFacts(file);
    return { status: 'success', data: { HostFacts: describeFacts(facts, language), facts } };
  },
});
