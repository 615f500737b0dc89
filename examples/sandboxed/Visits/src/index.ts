import { kv, log, plugin, PluginError } from 'vcp-plugin';

type Visits = { readonly count: number; readonly last: string };

export default plugin({
  Greet: ({ name }: { name: string }, call) => {
    if (name.trim() === '') {
      throw new PluginError('VISITS.NO_NAME', 'name is empty; say who is there', { target: 'name' });
    }
    const before = kv.get<Visits>(name);
    const count = (before?.count ?? 0) + 1;
    kv.set(name, { count, last: call.now });
    log.info(`visit ${count}`);
    return {
      data: { count, last: before?.last ?? null },
      presentation: { summary: `Hello ${name}, visit ${count}` },
    };
  },
});
