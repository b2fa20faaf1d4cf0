import type { JsonObject } from '../store/turns/content.ts';

/** Selects tools that meet every condition; without conditions, all tools. */
export interface ToolFilter {
  readonly names?: readonly string[];
  /** The value of the tool's `readOnlyHint`, which is false by default. */
  readonly isReadOnly?: boolean;
}

/** Decides which calls a client must approve. */
export type ApprovalRule =
  | 'always'
  | 'never'
  | { readonly always?: ToolFilter; readonly never?: ToolFilter };

interface FilteredTool {
  readonly name: string;
  readonly annotations?: JsonObject | undefined;
}

export function matchesFilter(
  { names, isReadOnly }: ToolFilter,
  { name, annotations }: FilteredTool,
): boolean {
  if (names?.includes(name) === false) return false;
  return isReadOnly === undefined || isReadOnly === (annotations?.['readOnlyHint'] === true);
}

/** True if calls of the tool need an approval. So do tools that no filter matches, unless the rule has only `always`. */
export function needsApproval(rule: ApprovalRule | undefined, tool: FilteredTool): boolean {
  if (rule === undefined || rule === 'never') return false;
  if (rule === 'always') return true;
  const { always, never } = rule;
  if (always !== undefined && matchesFilter(always, tool)) return true;
  if (never !== undefined) return !matchesFilter(never, tool);
  return always === undefined;
}
