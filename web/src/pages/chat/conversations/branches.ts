/** A response in the tree of a conversation. */
export interface TreeNode {
  readonly response_id: string;
  readonly previous_response_id: string | null;
}

/** The responses from the beginning of a conversation to a leaf; empty if the leaf is unknown. */
export function pathTo<Node extends TreeNode>(
  nodes: readonly Node[],
  leafId: string,
): readonly Node[] {
  const byId = new Map(nodes.map((node) => [node.response_id, node]));
  const path: Node[] = [];
  for (let node = byId.get(leafId); node !== undefined; node = parentOf(byId, node))
    path.push(node);
  return path.toReversed();
}

function parentOf<Node extends TreeNode>(
  byId: ReadonlyMap<string, Node>,
  { previous_response_id: id }: Node,
): Node | undefined {
  return id === null ? undefined : byId.get(id);
}

/** Cache of the grouped responses, since each visible message asks for its siblings. */
const grouped = new WeakMap<readonly TreeNode[], ReadonlyMap<string | null, readonly TreeNode[]>>();

/** The responses with the same predecessor, oldest first: the branches at this point. */
export function siblingsOf<Node extends TreeNode>(
  nodes: readonly Node[],
  previousId: string | null,
): readonly Node[] {
  const groups = grouped.get(nodes) ?? groupByPrevious(nodes);
  grouped.set(nodes, groups);
  return (groups.get(previousId) ?? []) as readonly Node[];
}

function groupByPrevious(nodes: readonly TreeNode[]) {
  const groups = new Map<string | null, TreeNode[]>();
  for (const node of nodes) {
    const group = groups.get(node.previous_response_id);
    if (group === undefined) groups.set(node.previous_response_id, [node]);
    else group.push(node);
  }
  return groups;
}

/** True if there is more than one beginning, or a response is continued more than once. */
export function hasBranches(nodes: readonly TreeNode[]): boolean {
  return new Set(nodes.map((node) => node.previous_response_id)).size < nodes.length;
}

/** The newest leaf below a response. Nodes are sorted by age. */
export function newestLeaf(nodes: readonly TreeNode[], startId: string): string {
  const below = new Set([startId]);
  let newest = startId;
  for (const { response_id: id, previous_response_id: previous } of nodes) {
    if (previous === null || !below.has(previous)) continue;
    below.add(id);
    newest = id;
  }
  return newest;
}
