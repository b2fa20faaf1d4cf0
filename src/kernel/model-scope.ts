import { HearthError } from './errors/errors.ts';

/** The models that a token may use, as keys or as patterns with `*` for any characters; null: all models. */
export type ModelScope = readonly string[] | null;

/** True if the scope includes a model; ignores case. */
export function isInScope(scope: ModelScope, modelKey: string): boolean {
  const key = modelKey.toLowerCase();
  return scope === null || scope.some((pattern) => matches(pattern.toLowerCase(), key));
}

/** @throws HearthError `forbidden` for a model that the token may not use. */
export function assertInScope(scope: ModelScope, modelKey: string): void {
  if (scope === null || isInScope(scope, modelKey)) return;
  throw new HearthError(
    'forbidden',
    `The token may not use the model ${JSON.stringify(modelKey)}; it may use: ${scope.join(', ') || 'none'}.`,
    { field: 'model' },
  );
}

function matches(pattern: string, key: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === key;
  if (!key.startsWith(first)) return false;
  let position = first.length;
  for (const part of rest) {
    const found = key.indexOf(part, position);
    if (found === -1) return false;
    position = found + part.length;
  }
  return key.length - last.length >= position && key.endsWith(last);
}
