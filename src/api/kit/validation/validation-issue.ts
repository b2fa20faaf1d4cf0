import type * as z from 'zod';

type Path = readonly PropertyKey[];

/** An issue of a schema, at the deepest value that it is about. */
export interface ValidationIssue {
  readonly issue: z.core.$ZodIssue;
  /** Path from the root of the validated value. */
  readonly path: Path;
  /** The invalid value; undefined if it is absent. */
  readonly value: unknown;
  /** Whether the value already has the wrong JSON type. */
  readonly isWrongType: boolean;
}

/**
 * Follows an issue into unions. If the value has the JSON type of a branch, the issue of that branch is returned;
 * otherwise the issue of the whole union.
 */
export function locateIssue(issue: z.core.$ZodIssue, root: unknown): ValidationIssue {
  return locate(issue, [], root);
}

function locate(issue: z.core.$ZodIssue, base: Path, root: unknown): ValidationIssue {
  const path = [...base, ...issue.path];
  const value = valueAt(root, path);
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) {
    return { issue, path, value, isWrongType: isWrongType(issue, value) };
  }
  const branches = issue.errors
    .flatMap((issues) => issues.slice(0, 1))
    .map((branch) => locate(branch, path, root));
  const matching = branches.find(
    (branch) => branch.path.length > path.length || !branch.isWrongType,
  );
  return matching ?? { issue, path, value, isWrongType: true };
}

function isWrongType(issue: z.core.$ZodIssue, value: unknown): boolean {
  if (issue.code === 'invalid_type') return true;
  if (issue.code !== 'invalid_value') return false;
  return !issue.values.some((allowed) => typeof allowed === typeof value);
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) {
      return undefined;
    }
    value = (value as Readonly<Record<PropertyKey, unknown>>)[segment];
  }
  return value;
}
