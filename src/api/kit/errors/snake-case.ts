/** A domain field in snake case: `integrations[0].serverUrl` becomes `integrations[0].server_url`. */
export function toSnakeCase(field: string): string {
  // Keys in brackets, such as the name of a header, come from the client.
  return field.replace(/\[[^\]]*\]|[A-Z]/g, (match) =>
    match.startsWith('[') ? match : `_${match.toLowerCase()}`,
  );
}
