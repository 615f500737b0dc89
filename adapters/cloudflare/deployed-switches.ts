import { PluginSwitchesFixed, type PluginSwitches } from '../../src/ports/plugin-switches.ts';

/** The plugins of a worker are what was deployed: its isolates share no state that a switch could be kept in. */
export const deployedSwitches: PluginSwitches = {
  read: () => Promise.resolve(new Map()),
  set: () =>
    Promise.reject(
      new PluginSwitchesFixed(
        'on Workers, plugins are what was deployed: set "enabled" in the manifest and deploy anew',
      ),
    ),
};
