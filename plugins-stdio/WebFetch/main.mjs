import { createGuardedFetch } from '../../adapters/node/guarded-fetch.ts';
import { PluginError, servePlugin } from '../../plugin-kit/node/vcp-plugin.mjs';
import { parseAddressRange } from '../../src/lib/address-policy.ts';
import { fetchPage } from './fetch-page.mjs';

/** Ranges from WEB_FETCH_ALLOW_ADDRESSES. A range that is none refuses every call: nothing is open by mistake. */
const readAllowed = (text = '') => {
  const parts = text.split(',').map((part) => part.trim());
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const range = parseAddressRange(part);
      if (range === null)
        throw new PluginError(
          'WEB.BAD_CONFIGURATION',
          `WEB_FETCH_ALLOW_ADDRESSES holds "${part}", which is no address or range such as 10.1.0.0/16; the operator has to mend it in config.env in the plugin's folder or in the server's environment`,
        );
      return range;
    });
};

let guarded;

servePlugin({
  Fetch: (args, call) => {
    guarded ??= createGuardedFetch({ allowed: readAllowed(process.env.WEB_FETCH_ALLOW_ADDRESSES) });
    return fetchPage(args, call, guarded.fetch);
  },
});
