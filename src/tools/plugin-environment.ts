/** What a program needs to find other programs, its user's folders and the language; nothing else goes in. */
const passedOn = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'APPDATA',
  'COMSPEC',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SystemRoot',
  'USERPROFILE',
] as const;

/** The environment of a plugin's process: a few variables of ours, so that no secret goes along, and its own. */
export function pluginEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of passedOn) {
    const value = parent[name];
    if (value !== undefined) environment[name] = value;
  }
  return { ...environment, ...configured };
}
