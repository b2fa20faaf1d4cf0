/**
 * Code for the start of the program. It reports a Node.js that is too old before anything is loaded that needs a newer
 * one. Uses ES5 syntax, which every version can parse.
 *
 * @param range `engines.node` of the package, such as `>=20.19`.
 */
export function nodeCheck(range) {
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(range) ?? [];
  if (major === undefined) throw new Error(`"engines.node" is ${range}, not >=MAJOR.MINOR`);
  const message =
    `error: Hearth needs Node.js ${major}.${minor} or newer, and this is ' + process.version + ` +
    `' (' + process.execPath + '). Install a newer one from https://nodejs.org, or with the package manager of the system.`;
  return [
    '(function () {',
    "var found = process.version.slice(1).split('.').map(Number);",
    `if (found[0] > ${major} || (found[0] === ${major} && found[1] >= ${minor})) return;`,
    `console.error('${message}');`,
    'process.exit(1);',
    '})();',
  ].join(' ');
}
