/** The roots that calls may reach, and what may be done there. */
export async function listRoots({ roots }) {
  const listed = roots.map(({ name, readOnly }) => ({ name, readOnly }));
  return {
    data: { roots: listed },
    presentation: { summary: listed.length === 1 ? '1 root' : `${listed.length} roots`, preferredView: 'table' },
  };
}
