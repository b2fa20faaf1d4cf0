/** The path of `server.publicUrl` without a trailing slash: `/hearth`, or an empty string. */
export function pathOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
}
