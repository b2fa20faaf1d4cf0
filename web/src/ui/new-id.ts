/** A random id. Pages of other hosts without TLS have no `crypto.randomUUID`. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join(
    '-',
  );
}
