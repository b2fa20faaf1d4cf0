export interface UrlParts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
}

/** The path with its parameters: `{name}` is one segment, `{name...}` the rest of the path. */
export function toUrl(path: string, { params = {}, query = {} }: UrlParts): string {
  const filled = path.replaceAll(/\{(\w+)(\.\.\.)?\}/g, (_, name: string, rest?: string) => {
    const value = String(params[name]);
    return rest === undefined
      ? encodeURIComponent(value)
      : value.split('/').map(encodeURIComponent).join('/');
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.append(name, String(value));
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}
