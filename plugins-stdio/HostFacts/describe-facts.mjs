const GIB = 1024 ** 3;

const WORDS = {
  en: {
    load: (load, cores) => `load ${load} on ${cores} core${cores === 1 ? '' : 's'}`,
    memory: (free, all) => `${free} of ${all} GiB of memory free`,
    disk: (name, free, all) => `${free} of ${all} GiB free on disk ${name}`,
    uptime: (days, hours) => `up ${days} d ${hours} h`,
    cores: (cores) => `${cores} core${cores === 1 ? '' : 's'}`,
    join: ', ',
  },
  zh: {
    load: (load, cores) => `${cores} 核，负载 ${load}`,
    memory: (free, all) => `内存可用 ${free}/${all} GiB`,
    disk: (name, free, all) => `磁盘 ${name} 可用 ${free}/${all} GiB`,
    uptime: (days, hours) => `已运行 ${days} 天 ${hours} 小时`,
    cores: (cores) => `${cores} 核`,
    join: '；',
  },
};

/** The facts in one line, as a model reads them best. */
export const describeFacts = ({ cores, load, memoryBytes, memoryFreeBytes, uptimeSeconds, disks }, language) => {
  const words = WORDS[language] ?? WORDS.en;
  const hours = Math.floor(uptimeSeconds / 3_600);
  return [
    load === null ? words.cores(cores) : words.load(load, cores),
    words.memory(inGib(memoryFreeBytes), inGib(memoryBytes)),
    ...disks.map(({ name, bytes, freeBytes }) => words.disk(name, inGib(freeBytes), inGib(bytes))),
    words.uptime(Math.floor(hours / 24), hours % 24),
  ].join(words.join);
};

const inGib = (bytes) => (bytes / GIB).toFixed(1);
