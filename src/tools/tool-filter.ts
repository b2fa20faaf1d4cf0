import type { JsonObject } from '../store/turns/content.ts';

/** The tools that match every condition; all tools if there is none. */
export interface ToolFilter {
  readonly names?: readonly string[];
  /** The `readOnlyHint` that the server gives its tool; false if it gives none. */
  readonly isReadOnly?: boolean;
}

/** The tools whose calls a client must approve. */
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

/**
 * A tool that no filter names must be approved, unless the rule lists only tools that need
 * approval.
 */
export function needsApproval(rule: ApprovalRule | undefined, tool: FilteredTool): boolean {
  if (rule === undefined || rule === 'never') return false;
  if (rule === 'always') return true;
  const { always, never } = rule;
  if (always !== undefined && matchesFilter(always, tool)) return true;
  if (never !== undefined) return !matchesFilter(never, tool);
  return always === undefined;
}
