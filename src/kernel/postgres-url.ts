/** Replaces the user and password of a URL. */
export const hiddenUser = '***';

/** True if the value of `store.url` names a PostgreSQL database instead of a file. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(url);
}

/** Replaces the user and passwords of a URL, for messages and lists of settings. */
export function withoutPassword(url: string): string {
  return url
    .replace(/(?<=^\w+:\/\/)[^/?#]*@/, `${hiddenUser}@`)
    .replaceAll(/(?<=[?&]password=)[^&#]*/gi, hiddenUser);
}
