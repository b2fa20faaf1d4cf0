import type { TreeNode } from '../conversations/branches.ts';

export interface BranchSegment<Node> {
  /** The first response after a fork. */
  readonly first: Node;
  readonly last: Node;
  readonly length: number;
  /** Number of forks above it. */
  readonly depth: number;
}

/**
 * Converts the tree of a conversation to rows: chains of responses without forks, each followed by the chains that
 * continue it. A response whose predecessor is not in the list is treated as a beginning.
 */
export function branchSegments<Node extends TreeNode>(
  nodes: readonly Node[],
): readonly BranchSegment<Node>[] {
  const ids = new Set(nodes.map(({ response_id: id }) => id));
  const continuations = new Map<string | null, Node[]>();
  for (const node of nodes) {
    const { previous_response_id: previous } = node;
    const parent = previous !== null && ids.has(previous) ? previous : null;
    continuations.set(parent, [...(continuations.get(parent) ?? []), node]);
  }
  const after = (id: string | null) => continuations.get(id) ?? [];
  const segments: BranchSegment<Node>[] = [];
  const rest = after(null)
    .map((first) => ({ first, depth: 0 }))
    .toReversed();
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { first, depth } = next;
    let last = first;
    let length = 1;
    let following = after(last.response_id);
    while (following.length === 1 && following[0] !== undefined) {
      last = following[0];
      length += 1;
      following = after(last.response_id);
    }
    segments.push({ first, last, length, depth });
    rest.push(...following.toReversed().map((each) => ({ first: each, depth: depth + 1 })));
  }
  return segments;
}
