/** Resolves a `$ref` into the same document; undefined for a missing target or another document. */
export function resolveJsonPointer(root: unknown, reference: unknown): unknown {
  if (reference === '#') return root;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  let target = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decodeStep(step);
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) {
      return undefined;
    }
    target = (target as Readonly<Record<string, unknown>>)[key];
  }
  return target;
}

function decodeStep(step: string): string {
  const unescaped = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
}
