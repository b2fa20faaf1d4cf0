import { ok, problem, warning, type DoctorContext, type Finding } from './check.ts';

/** Whether the proxy variables are valid, and exclude this machine. */
export async function checkProxy({ environment }: DoctorContext): Promise<readonly Finding[]> {
  return describeProxy(environment);
}

export function describeProxy(
  environment: Readonly<Record<string, string | undefined>>,
): readonly Finding[] {
  const valueOf = (name: string): string | undefined =>
    environment[name.toLowerCase()] || environment[name] || undefined;
  const proxies = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap((name) => {
    const value = valueOf(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (proxies.length === 0) return [ok('No proxy is set.')];
  const invalid = proxies.filter(([, value]) => !URL.canParse(value));
  if (invalid.length > 0) {
    return invalid.map(([name]) =>
      problem(`${name} is not a URL.`, `Set ${name} to a URL such as http://proxy.example:3128.`),
    );
  }
  const excluded = (valueOf('NO_PROXY') ?? '').split(/[\s,]+/);
  const names = proxies.map(([name]) => name).join(', ');
  if (excluded.includes('*') || excluded.includes('127.0.0.1') || excluded.includes('localhost')) {
    return [ok(`${names} is set, and excludes this machine.`)];
  }
  return [
    warning(
      `${names} is set, and NO_PROXY does not exclude this machine.`,
      'Other programs may send requests for Hearth to the proxy: set NO_PROXY=localhost,127.0.0.1.',
    ),
  ];
}
