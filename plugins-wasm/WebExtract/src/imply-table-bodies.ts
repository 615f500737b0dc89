import { Element, isTag, type AnyNode, type ParentNode } from 'domhandler';

/**
 * Puts rows that stand in a table itself into a `tbody`, as every browser does: selectors that people find with one of
 * them count on it. (A parser that does all that browsers do takes three times as long in an interpreter.)
 */
export function implyTableBodies(parent: ParentNode): void {
  for (const child of parent.children) {
    if (!isTag(child)) continue;
    if (child.name === 'table' && child.children.some(isRow)) child.children = withBodies(child);
    implyTableBodies(child);
  }
}

function withBodies(table: Element): AnyNode[] {
  const children: AnyNode[] = [];
  let body: Element | null = null;
  for (const node of table.children) {
    if (isTag(node) && !isRow(node)) body = null;
    if (isRow(node) && body === null) {
      body = new Element('tbody', {}, []);
      children.push(body);
    }
    // White space between two rows goes along with them.
    (body === null ? children : body.children).push(node);
    node.parent = body ?? table;
  }
  for (const node of children) node.parent = table;
  for (const siblings of [children, ...children.filter(isTag).map((node) => node.children)]) linkSiblings(siblings);
  return children;
}

function linkSiblings(nodes: readonly AnyNode[]): void {
  for (const [index, node] of nodes.entries()) {
    node.prev = nodes[index - 1] ?? null;
    node.next = nodes[index + 1] ?? null;
  }
}

function isRow(node: AnyNode): boolean {
  return isTag(node) && node.name === 'tr';
}
