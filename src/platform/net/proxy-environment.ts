type Environment = Readonly<Record<string, string | undefined>>;

/** A variable whose proxy can't be used. */
interface ProxyProblem {
  readonly variable: string;
  /** Reason, written to follow the variable's name. Contains no part of the value, which may have a password. */
  readonly reason: string;
}

interface ProxySettings {
  /** Empty string: no proxy. */
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
  readonly problems: readonly ProxyProblem[];
}

/** Replaces a proxy that can't be used: requests fail instead of bypassing it. The top-level domain never exists. */
const unusableProxy = 'http://unusable-proxy.invalid:9';

const socksProtocols: ReadonlySet<string> = new Set(['socks:', 'socks5:', 'socks5h:']);

/**
 * Reads the proxies of an environment like curl: lower-case names take precedence, an address without a scheme is an
 * HTTP proxy, and `socks5h` is a SOCKS 5 proxy that resolves names.
 */
export function readProxies(environment: Environment): ProxySettings {
  const problems: ProxyProblem[] = [];
  const read = (name: string): string => {
    const variable = environment[name] === undefined ? name.toUpperCase() : name;
    const text = environment[variable]?.trim() ?? '';
    if (text === '') return '';
    const proxy = normalize(text);
    if (proxy !== undefined) return proxy;
    problems.push({
      variable,
      reason: 'is not the address of an HTTP or SOCKS 5 proxy, such as http://proxy.example:3128',
    });
    return unusableProxy;
  };
  const httpProxy = read('http_proxy');
  const httpsProxy = read('https_proxy');
  const noProxy = environment['no_proxy'] ?? environment['NO_PROXY'] ?? '';
  return { httpProxy, httpsProxy, noProxy, problems };
}

/** Undefined if undici has no client for the scheme. */
function normalize(text: string): string | undefined {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.hostname === '') return undefined;
  const { protocol, href } = parsed;
  if (protocol === 'http:' || protocol === 'https:') return href;
  return socksProtocols.has(protocol) ? `socks5:${url.slice(protocol.length)}` : undefined;
}

/** The proxy variables for child processes, without user names and passwords. */
export function proxiesWithoutCredentials(environment: Environment): Record<string, string> {
  const names = ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'];
  return Object.fromEntries(
    names
      .flatMap((name) => [name, name.toUpperCase()])
      .flatMap((name) => {
        const value = environment[name];
        return value === undefined ? [] : [[name, value.replace(/^([a-z\d+.-]+:\/\/)?.*@/i, '$1')]];
      }),
  );
}
