/** Compares two semantic versions (semver.org, precedence); positive if the left one is newer. */
export function compareVersions(left: string, right: string): number {
  const [one, other] = [parse(left), parse(right)];
  for (let index = 0; index < 3; index += 1) {
    const difference = (one.numbers[index] ?? 0) - (other.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // A pre-release is older than its release.
  if (one.suffix === '' || other.suffix === '') {
    return Number(one.suffix === '') - Number(other.suffix === '');
  }
  return comparePreReleases(one.suffix.split('.'), other.suffix.split('.'));
}

function comparePreReleases(left: readonly string[], right: readonly string[]): number {
  for (const [index, one] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (one === other) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (isNumber && isOtherNumber) return Number(one) - Number(other);
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return left.length - right.length;
}

function parse(version: string) {
  const [numbers = '', ...suffix] = version.split('+')[0]?.split('-') ?? [];
  return { numbers: numbers.split('.').map(Number), suffix: suffix.join('-') };
}
