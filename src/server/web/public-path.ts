/** The path of `server.publicUrl` without a slash at its end: `/hearth`, or an empty text. */
export function pathOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
}
