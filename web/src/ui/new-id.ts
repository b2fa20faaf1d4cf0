/** A random id. On other hosts without TLS, pages have no `crypto.randomUUID`. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join(
    '-',
  );
}
