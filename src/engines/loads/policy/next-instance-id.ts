/** `key`, or the first of `key:2`, `key:3`, ... that is not taken. */
export function nextInstanceId(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}:${number}`)) number += 1;
  return `${base}:${number}`;
}
