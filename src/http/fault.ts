import type { z } from 'zod';

type Path = readonly PropertyKey[];

/** What is wrong with a value, found as deep as it goes. */
export interface Fault {
  readonly issue: z.core.$ZodIssue;
  /** From the root of the checked value. */
  readonly path: Path;
  /** The value at fault; undefined where it is absent. */
  readonly value: unknown;
  /** Whether even its JSON type is wrong. */
  readonly isWrongType: boolean;
}

/**
 * Follows an issue into unions: where one branch fits the value's JSON type, what is wrong is said of that
 * branch; else the union as a whole is at fault.
 */
export function findFault(issue: z.core.$ZodIssue, root: unknown): Fault {
  return locate(issue, [], root);
}

function locate(issue: z.core.$ZodIssue, base: Path, root: unknown): Fault {
  const path = [...base, ...issue.path];
  const value = valueAt(root, path);
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) {
    return { issue, path, value, isWrongType: isWrongType(issue, value) };
  }
  const branches = issue.errors
    .flatMap((issues) => issues.slice(0, 1))
    .map((branch) => locate(branch, path, root));
  const fitting = branches.find(
    (branch) => branch.path.length > path.length || !branch.isWrongType,
  );
  return fitting ?? { issue, path, value, isWrongType: true };
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
